UPDATE {schema}.keys SET expires_at = $2::bigint, count = $3::bigint, head = $4::bigint, tail = $5::bigint, version = version + 1 WHERE id = $1::bigint
