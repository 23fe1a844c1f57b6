SELECT count(*) FROM (
  SELECT FROM {schema}.key_scores
  WHERE key = $1::bigint AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  LIMIT $6::bigint) AS counted
