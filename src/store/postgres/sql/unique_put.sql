INSERT INTO {schema}.uniques (namespace, key, job)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job) ORDER BY namespace, key
ON CONFLICT (namespace, key) DO NOTHING
