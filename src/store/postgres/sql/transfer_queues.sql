SELECT q.id, n.name, q.name, q.settings
FROM {schema}.queues q JOIN {schema}.namespaces n ON n.id = q.namespace
WHERE q.id > $1::bigint ORDER BY q.id LIMIT $2::bigint
