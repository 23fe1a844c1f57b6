INSERT INTO {schema}.parked (namespace, key, stand, key_limit, rank, job)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[])
