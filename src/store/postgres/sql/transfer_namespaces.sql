SELECT id, name, description, created_at FROM {schema}.namespaces WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint
