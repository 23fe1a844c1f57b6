SELECT id, name, description, created_at, display_name, enabled, coalesce(updated_at, created_at) FROM {schema}.namespaces ORDER BY id
