-- By member, behind one.
SELECT member, score FROM {schema}.key_scores WHERE key = $1::bigint AND member > $2::bytea ORDER BY member LIMIT $3::bigint
