DELETE FROM {schema}.key_scores WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_scores WHERE key = $1::bigint LIMIT $2::bigint))
