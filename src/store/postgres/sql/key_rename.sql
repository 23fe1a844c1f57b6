UPDATE {schema}.keys SET name = $2::bytea, version = version + 1 WHERE id = $1::bigint
