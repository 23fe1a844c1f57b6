-- A piece ends with the member that passes $9 bytes.
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores
  WHERE key = $1::bigint
    AND (score, substring(member FROM 1 FOR 256)) <= ($7::double precision, substring($8::bytea FROM 1 FOR 256))
    AND (score, member) < ($7::double precision, $8::bytea) AND ($2::bytea IS NULL OR member > $2::bytea OR (member = $2::bytea AND NOT $3::boolean))
    AND ($4::bytea IS NULL OR member < $4::bytea OR (member = $4::bytea AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint) AS piece
WHERE bytes_before < $9::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC
