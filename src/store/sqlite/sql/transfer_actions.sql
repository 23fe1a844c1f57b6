SELECT a.id, n.name, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled
FROM actions a JOIN namespaces n ON n.id = a.namespace
WHERE a.id > ?1 ORDER BY a.id LIMIT ?2
