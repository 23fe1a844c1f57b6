SELECT i.namespace, i.key, i.job
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, key) JOIN {schema}.idempotency i ON i.namespace = u.namespace AND i.key = u.key
