SELECT value FROM {schema}.keys WHERE id = $1::bigint
