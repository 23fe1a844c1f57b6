SELECT k.id, n.name, k.space, k.name, k.type, k.expires_at, k.count, k.head, k.tail, k.value
FROM keys k JOIN namespaces n ON n.id = k.namespace
WHERE k.id > ?1 ORDER BY k.id LIMIT ?2
