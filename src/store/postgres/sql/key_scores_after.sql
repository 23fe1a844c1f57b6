-- By member, behind one. A piece ends with the member that passes $4 bytes.
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY member ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores WHERE key = $1::bigint AND member > $2::bytea ORDER BY member LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY member
