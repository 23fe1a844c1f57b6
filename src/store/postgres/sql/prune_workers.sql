-- Offline for long. A beat that came in after the end goes along.
WITH gone AS (
  DELETE FROM {schema}.workers w
  WHERE w.id = ANY(ARRAY(
    SELECT o.id FROM {schema}.workers o
    WHERE o.state = 2 AND o.offline_at <= $1::bigint AND NOT EXISTS (SELECT 1 FROM {schema}.running r WHERE r.worker = o.id)
    ORDER BY o.namespace, o.name LIMIT $2::bigint FOR UPDATE SKIP LOCKED))
  RETURNING w.id
), silenced AS (
  DELETE FROM {schema}.beats b USING gone g WHERE b.worker = g.id
)
SELECT id FROM gone
