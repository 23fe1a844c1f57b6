DELETE FROM {schema}.key_scores s USING unnest($2::bytea[]) AS u (member) WHERE s.key = $1::bigint AND sha256(s.member) = sha256(u.member)
