SELECT version FROM {schema}.keys WHERE id = $1::bigint
