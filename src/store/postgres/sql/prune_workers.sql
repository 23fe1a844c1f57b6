-- Offline for long. A beat that came in after the end goes along.
WITH gone AS (
  DELETE FROM {schema}.workers w
  WHERE w.id = ANY(ARRAY(
    SELECT id FROM {schema}.workers WHERE state = 2 AND offline_at <= $1::bigint
    ORDER BY namespace, name LIMIT $2::bigint FOR UPDATE SKIP LOCKED))
  RETURNING w.id
), silenced AS (
  DELETE FROM {schema}.beats b USING gone g WHERE b.worker = g.id
)
SELECT id FROM gone
