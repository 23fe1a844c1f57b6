SELECT position FROM (SELECT position, value FROM {schema}.key_items WHERE key = $1::bigint ORDER BY position LIMIT $4::bigint) AS looked_at
WHERE value = $2::bytea ORDER BY position LIMIT $3::bigint
