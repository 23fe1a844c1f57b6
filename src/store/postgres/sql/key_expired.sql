SELECT id, namespace, space, name, type, count FROM {schema}.keys WHERE expires_at <= $1::bigint ORDER BY expires_at LIMIT $2::bigint
