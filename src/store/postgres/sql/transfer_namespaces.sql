SELECT id, name, description, created_at, display_name, enabled, coalesce(updated_at, created_at) FROM {schema}.namespaces WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint
