SELECT i.namespace, i.key, n.name, i.job
FROM {schema}.idempotency i JOIN {schema}.namespaces n ON n.id = i.namespace
WHERE (i.namespace, i.key) > ($1::bigint, $2::bytea) ORDER BY i.namespace, i.key LIMIT $3::bigint
