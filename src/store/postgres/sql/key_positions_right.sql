SELECT position FROM {schema}.key_items WHERE key = $1::bigint AND value = $2::bytea ORDER BY position DESC LIMIT $3::bigint
