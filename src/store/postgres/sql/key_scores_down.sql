-- A piece ends with the member that passes $8 bytes.
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores
  WHERE key = $1::bigint AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint OFFSET $7::bigint) AS piece
WHERE bytes_before < $8::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC
