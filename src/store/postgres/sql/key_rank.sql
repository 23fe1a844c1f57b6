-- Members before this one.
SELECT count(*) FROM (
  SELECT FROM {schema}.key_scores
  WHERE key = $1::bigint AND (score < $3::double precision OR (score = $3::double precision AND member < $2::bytea))
  LIMIT $4::bigint) AS counted
