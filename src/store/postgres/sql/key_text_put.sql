UPDATE {schema}.keys SET value = $2::bytea WHERE id = $1::bigint
