SELECT d.id FROM (
  SELECT id FROM {schema}.waiting WHERE expires_at IS NOT NULL AND expires_at <= {schema}.now_ms()
  ORDER BY expires_at LIMIT 2001) AS d
LIMIT $1::bigint
