-- Ready jobs of the lane that come before this one, counted up to $4.
SELECT count(*) FROM (
  SELECT 1 FROM {schema}.waiting
  WHERE place = 1 AND stand = $1::integer AND (rank, id) < ($2::bigint, $3::bigint)
  ORDER BY rank, id
  LIMIT $4::bigint
) AS ahead
