SELECT id, name, description, created_at, display_name, enabled, updated_at FROM namespaces ORDER BY id
