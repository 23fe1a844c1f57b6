DELETE FROM {schema}.key_items WHERE key = $1::bigint AND position BETWEEN $2::bigint AND $3::bigint
