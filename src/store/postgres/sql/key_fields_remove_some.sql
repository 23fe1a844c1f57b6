DELETE FROM {schema}.key_fields WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_fields WHERE key = $1::bigint LIMIT $2::bigint))
