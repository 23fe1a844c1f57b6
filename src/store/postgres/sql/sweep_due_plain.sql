-- Scheduled jobs without wishes whose time has come. The fixed number (kPassRowsMax) tells the planner that it is about few rows.
UPDATE {schema}.waiting w SET place = 1, event = 1
WHERE w.id = ANY(ARRAY(
  SELECT d.id FROM (
    SELECT id FROM {schema}.waiting WHERE place = 0 AND run_at <= {schema}.now_ms() AND NOT special
    ORDER BY run_at LIMIT 2000 FOR UPDATE SKIP LOCKED) AS d
  LIMIT $1::bigint))
RETURNING w.id, w.lane, w.stand, w.attempt, w.fence
