SELECT p.id, n.name, p.name, p.text, p.description, p.tasks, p.needs, p.created_at, p.last_used_at, p.actions, p.jobs
FROM plans p JOIN namespaces n ON n.id = p.namespace
WHERE p.id > ?1 ORDER BY p.id LIMIT ?2
