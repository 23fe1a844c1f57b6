DELETE FROM {schema}.key_scores WHERE key = $1::bigint AND sha256(member) = sha256($2::bytea)
