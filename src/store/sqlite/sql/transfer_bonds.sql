-- A bond whose worker is gone binds nobody.
SELECT s.queue, s.key, n.name, q.name, w.name
FROM sticky s
JOIN queues q ON q.id = s.queue
JOIN namespaces n ON n.id = q.namespace
JOIN workers w ON w.id = s.worker
WHERE (s.queue, s.key) > (?1, ?2) ORDER BY s.queue, s.key LIMIT ?3
