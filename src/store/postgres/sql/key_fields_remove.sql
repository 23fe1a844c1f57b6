DELETE FROM {schema}.key_fields f USING unnest($2::bytea[]) AS u (name) WHERE f.key = $1::bigint AND sha256(f.name) = sha256(u.name)
