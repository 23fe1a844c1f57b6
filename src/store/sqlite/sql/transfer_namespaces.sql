SELECT id, name, description, created_at, display_name, enabled, updated_at FROM namespaces WHERE id > ?1 ORDER BY id LIMIT ?2
