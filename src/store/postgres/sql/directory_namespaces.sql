SELECT id, name, description, created_at FROM {schema}.namespaces ORDER BY id
