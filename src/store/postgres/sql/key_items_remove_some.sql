DELETE FROM {schema}.key_items WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_items WHERE key = $1::bigint LIMIT $2::bigint))
