SELECT name, value FROM {schema}.key_fields WHERE key = $1::bigint
ORDER BY substring(name FROM 1 FOR 256), name LIMIT 1 OFFSET $2::bigint
