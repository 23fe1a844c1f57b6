-- The earliest first; one more than may be dealt with tells whether there is more. A buffered fire whose job before it still lives is left
-- out: it would only stand in the way of others. Columns as schedule_rows.h says.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s
JOIN (
  SELECT d.id, min(d.at) AS at
  FROM (
    (SELECT id, due_at AS at FROM {schema}.schedules WHERE due_at <= {schema}.now_ms() ORDER BY due_at, id LIMIT $1::bigint)
    UNION ALL
    (SELECT b.id, b.buffered FROM {schema}.schedules b
     WHERE b.buffered IS NOT NULL AND b.enabled AND b.buffered <= {schema}.now_ms()
       AND NOT EXISTS (SELECT 1 FROM {schema}.waiting w WHERE w.id = b.last_job)
       AND NOT EXISTS (SELECT 1 FROM {schema}.running r WHERE r.id = b.last_job)
     ORDER BY b.buffered, b.id LIMIT $1::bigint)) AS d
  GROUP BY d.id) AS d ON d.id = s.id
ORDER BY d.at, s.id LIMIT $1::bigint
