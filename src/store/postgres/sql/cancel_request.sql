UPDATE {schema}.running SET flags = flags | 16, cancel_reason = $2::bytea WHERE id = $1::bigint
