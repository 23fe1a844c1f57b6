SELECT position, value FROM {schema}.key_items WHERE key = $1::bigint ORDER BY position LIMIT $2::bigint OFFSET $3::bigint
