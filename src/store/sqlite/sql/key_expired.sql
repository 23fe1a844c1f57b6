SELECT id, namespace, space, name, type, count FROM keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2
