-- A bond whose worker is gone binds nobody.
SELECT s.queue, s.key, n.name, q.name, w.name
FROM {schema}.sticky s
JOIN {schema}.queues q ON q.id = s.queue
JOIN {schema}.namespaces n ON n.id = q.namespace
JOIN {schema}.workers w ON w.id = s.worker
WHERE (s.queue, s.key) > ($1::bigint, $2::bytea) ORDER BY s.queue, s.key LIMIT $3::bigint
