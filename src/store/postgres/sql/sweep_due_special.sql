-- The others, to be placed one by one.
SELECT d.id FROM (
  SELECT id FROM {schema}.waiting WHERE place = 0 AND run_at <= {schema}.now_ms() AND special ORDER BY run_at LIMIT 2000) AS d
LIMIT $1::bigint
