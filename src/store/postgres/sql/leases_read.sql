SELECT id, granted_ms, progress FROM {schema}.running WHERE id = ANY($1::bigint[])
