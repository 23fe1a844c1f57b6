INSERT INTO namespaces (id, name, description, created_at, display_name, enabled, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
