SELECT i.namespace, i.key, n.name, i.job
FROM idempotency i JOIN namespaces n ON n.id = i.namespace
WHERE (i.namespace, i.key) > (?1, ?2) ORDER BY i.namespace, i.key LIMIT ?3
