UPDATE {schema}.keys SET name = $2::bytea WHERE id = $1::bigint
