DELETE FROM {schema}.holders h USING unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job)
WHERE h.namespace = u.namespace AND h.key = u.key AND h.job = u.job
