SELECT count(*) FROM (
  SELECT FROM {schema}.keys
  WHERE namespace = $1::integer AND space = $2::smallint AND (expires_at IS NULL OR expires_at > $3::bigint)
  LIMIT $4::bigint) AS counted
