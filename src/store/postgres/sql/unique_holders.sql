SELECT q.namespace, q.key, q.job
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, key) JOIN {schema}.uniques q ON q.namespace = u.namespace AND q.key = u.key
