INSERT INTO {schema}.signals (job, place, flags, name, data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::bytea[], $5::bytea[])
