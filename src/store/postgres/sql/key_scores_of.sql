-- The scores of these members, in their order; NULL: there is no such member.
SELECT s.score FROM unnest($2::bytea[]) WITH ORDINALITY AS u (member, place)
LEFT JOIN {schema}.key_scores s ON s.key = $1::bigint AND sha256(s.member) = sha256(u.member)
ORDER BY u.place
