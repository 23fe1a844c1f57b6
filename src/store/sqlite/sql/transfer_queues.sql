SELECT q.id, n.name, q.name, q.settings
FROM queues q JOIN namespaces n ON n.id = q.namespace
WHERE q.id > ?1 ORDER BY q.id LIMIT ?2
