-- name: sweep_drained
-- Draining workers whose deadline has come, in the order of lists.
SELECT id FROM {schema}.workers WHERE state = {worker.draining} AND drain_deadline <= {schema}.now_ms() ORDER BY namespace, name LIMIT $1::bigint

-- name: sweep_drained_next
SELECT min(drain_deadline) FROM {schema}.workers WHERE state = {worker.draining}

-- name: sweep_due_next
SELECT min(run_at) FROM {schema}.waiting WHERE place = {place.scheduled}

-- name: sweep_due_plain
-- Scheduled jobs without wishes whose time has come. The fixed number tells the planner that it is about few rows.
UPDATE {schema}.waiting w SET place = {place.ready}, event = {event.due}
WHERE w.id = ANY(ARRAY(
  SELECT d.id FROM (
    SELECT id FROM {schema}.waiting WHERE place = {place.scheduled} AND run_at <= {schema}.now_ms() AND NOT special
    ORDER BY run_at LIMIT {pass.rows} FOR UPDATE SKIP LOCKED) AS d
  LIMIT $1::bigint))
RETURNING w.id, w.lane, w.stand, w.attempt, w.fence

-- name: sweep_due_special
-- The others, to be placed one by one.
SELECT d.id FROM (
  SELECT id FROM {schema}.waiting WHERE place = {place.scheduled} AND run_at <= {schema}.now_ms() AND special ORDER BY run_at LIMIT {pass.rows}) AS d
LIMIT $1::bigint

-- name: sweep_expiries
-- Jobs that waited too long, and running ones whose deadline may have come.
SELECT d.id FROM (
  (SELECT id, expires_at FROM {schema}.waiting WHERE expires_at IS NOT NULL AND expires_at <= {schema}.now_ms()
   ORDER BY expires_at LIMIT {pass.rows} + 1)
  UNION ALL
  (SELECT id, expires_at FROM {schema}.running WHERE flags & {flag.deadline} <> 0 AND expires_at <= {schema}.now_ms()
   ORDER BY expires_at LIMIT {pass.rows} + 1)) AS d
ORDER BY d.expires_at
LIMIT $1::bigint

-- name: sweep_expiries_next
SELECT least((SELECT min(expires_at) FROM {schema}.waiting WHERE expires_at IS NOT NULL),
             (SELECT min(expires_at) FROM {schema}.running WHERE flags & {flag.deadline} <> 0 AND expires_at IS NOT NULL))

-- name: sweep_leads
-- Held until the commit: while a pass of this term works, nobody takes the leadership over.
SELECT 1 FROM {schema}.leader
WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint AND expires_at > {schema}.now_ms() FOR SHARE

-- name: sweep_leases
-- Leases that are over: those of a length of their own, by their own end unless a beat moved it; the others are over with their workers'
-- silence. A worker without a beat was forgotten by a crash of the database, which is not silence.
SELECT e.id
FROM (
  (SELECT r.id, CASE WHEN r.lapsed THEN r.lease_until
                     ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END AS ends
   FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
   WHERE r.own_ttl AND r.lease_until <= (SELECT {schema}.now_ms()))
  UNION ALL
  (SELECT l.id, l.ends
   FROM {schema}.beats b
   JOIN {schema}.workers w ON w.id = b.worker AND w.state < {worker.offline} AND b.seen_at + w.dead_after_ms <= (SELECT {schema}.now_ms())
   CROSS JOIN LATERAL (SELECT r.id, greatest(r.lease_until, b.seen_at + r.granted_ms) AS ends FROM {schema}.running r
                       WHERE r.worker = b.worker AND NOT r.own_ttl OFFSET 0) AS l)
) AS e
WHERE e.ends <= (SELECT {schema}.now_ms())
ORDER BY e.ends, e.id
LIMIT $1::bigint

-- name: sweep_leases_next
SELECT min(lease_until) FROM {schema}.running WHERE own_ttl AND lease_until > {schema}.now_ms()

-- name: sweep_preferences
SELECT d.job FROM (
  SELECT job FROM {schema}.wishes WHERE prefer IS NOT NULL AND prefer_until <= {schema}.now_ms() ORDER BY prefer_until LIMIT {pass.rows} + 1) AS d
LIMIT $1::bigint

-- name: sweep_preferences_end
-- A preference that is over is not looked at again.
UPDATE {schema}.wishes SET prefer = NULL WHERE job = ANY($1::bigint[]) AND prefer_until <= {schema}.now_ms()

-- name: sweep_preferences_next
SELECT min(prefer_until) FROM {schema}.wishes WHERE prefer IS NOT NULL

-- name: sweep_silent
-- Live workers in the order of lists: those that are silent for too long, and at least one row, with the next death that is in sight and
-- how many a crash of the database has forgotten.
WITH living AS MATERIALIZED (
  SELECT w.id, w.namespace, w.name, b.seen_at + w.dead_after_ms AS dead_at
  FROM {schema}.workers w LEFT JOIN {schema}.beats b ON b.worker = w.id
  WHERE w.state < {worker.offline}
)
SELECT s.id, t.next_at, t.forgotten
FROM (SELECT min(dead_at) FILTER (WHERE dead_at > (SELECT {schema}.now_ms())) AS next_at, count(*) FILTER (WHERE dead_at IS NULL) AS forgotten
      FROM living) AS t
LEFT JOIN (SELECT id FROM living WHERE dead_at <= (SELECT {schema}.now_ms()) ORDER BY namespace, name LIMIT $1::bigint) AS s ON true

-- name: sweep_timeouts
SELECT d.id FROM (
  SELECT id FROM {schema}.running WHERE times_out_at IS NOT NULL AND times_out_at <= {schema}.now_ms()
  ORDER BY times_out_at LIMIT {pass.rows} + 1) AS d
LIMIT $1::bigint

-- name: sweep_timeouts_next
SELECT min(times_out_at) FROM {schema}.running WHERE times_out_at IS NOT NULL
