DELETE FROM {schema}.key_fields WHERE key = $1::bigint AND sha256(name) = sha256($2::bytea)
