SELECT id, name, description, created_at FROM namespaces ORDER BY id
