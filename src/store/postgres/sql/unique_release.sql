DELETE FROM {schema}.uniques q USING unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job)
WHERE q.namespace = u.namespace AND q.key = u.key AND q.job = u.job
