SELECT d.id FROM (
  SELECT id FROM {schema}.running WHERE times_out_at IS NOT NULL AND times_out_at <= {schema}.now_ms()
  ORDER BY times_out_at LIMIT 2001) AS d
LIMIT $1::bigint
