INSERT INTO {schema}.idempotency (namespace, key, job) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[])
