-- name: beat_close
DELETE FROM {schema}.beats WHERE worker = ANY($1::integer[])

-- name: beat_count
-- Adds what a node counted. It never waits: rows that somebody holds come back, to be counted the next time.
WITH free AS MATERIALIZED (
  SELECT worker FROM {schema}.beats WHERE worker = ANY($1::integer[]) FOR UPDATE SKIP LOCKED
), counted AS (
  UPDATE {schema}.beats b SET completed = b.completed + u.completed, failed = b.failed + u.failed
  FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (worker, completed, failed) JOIN free f ON f.worker = u.worker
  WHERE b.worker = u.worker
  RETURNING b.worker
)
SELECT b.worker FROM {schema}.beats b
WHERE b.worker = ANY($1::integer[]) AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.worker = b.worker)

-- name: beat_held
-- Which of the leases that workers believe to hold are theirs, before their beat is noted.
SELECT h.ord
FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS h (namespace, name, job, fence, ord)
JOIN {schema}.workers w ON w.namespace = h.namespace AND w.name = h.name
JOIN {schema}.running r ON r.id = h.job AND r.fence = h.fence AND r.worker = w.id
LEFT JOIN {schema}.beats b ON b.worker = w.id
WHERE CASE WHEN r.lapsed THEN r.lease_until
           ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END > (SELECT {schema}.now_ms())

-- name: beat_lapse
-- Leases of these workers that are over stay so when the worker is seen again.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = greatest(r.lease_until, b.seen_at + r.granted_ms)
FROM {schema}.beats b
WHERE b.worker = r.worker AND r.worker = ANY($1::integer[]) AND NOT r.lapsed
  AND greatest(r.lease_until, b.seen_at + r.granted_ms) <= {schema}.now_ms()

-- name: beat_lapsed
-- As beat_lapse.sql, for leases whose end was read before the worker was seen again. own_ttl: the sweep finds them by their own end now.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = u.lease_until
FROM unnest($1::bigint[], $2::bigint[]) AS u (id, lease_until)
WHERE r.id = u.id AND NOT r.lapsed

-- name: beat_lengthen
-- Leases of a length of their own that a beat lengthens, behind beat_lapsed.sql: those that were over before it are marked.
WITH held AS (
  SELECT r.id, u.adds, u.ahead
  FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u (namespace, name, session, adds, ahead)
  JOIN {schema}.workers w ON w.namespace = u.namespace AND w.name = u.name AND w.state < {worker.offline} AND (u.session IS NULL OR u.session = w.session)
  JOIN {schema}.running r ON r.worker = w.id AND r.own_ttl AND NOT r.lapsed
  ORDER BY r.id FOR UPDATE OF r
)
UPDATE {schema}.running r
SET lease_until = greatest(r.lease_until, least(r.lease_until + held.adds, {schema}.now_ms() + held.ahead))
FROM held WHERE r.id = held.id

-- name: beat_lock
SELECT worker, seen_at, completed, failed, stats FROM {schema}.beats WHERE worker = ANY($1::integer[]) ORDER BY worker FOR UPDATE

-- name: beat_note
-- One heartbeat of many workers. A beat writes one unlogged row and no lock on the worker's own row, so it costs no log. What it answers
-- is read as it was before: leases that are over at this instant come back with their ends and are marked by the caller
-- (beat_lapsed.sql). The description comes along only for those that know another revision.
WITH known AS MATERIALIZED (
  SELECT a.ord, a.stats AS told, w.id, w.state, w.session, w.revision, w.offline_cause, w.drain_deadline, w.drain_reason, w.drain_origin,
         w.state < {worker.offline} AND (a.session IS NULL OR a.session = w.session) AS valid,
         CASE WHEN w.revision <> a.revision THEN w.spec END AS spec
  FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bytea[], $5::bigint[]) WITH ORDINALITY
       AS a (namespace, name, session, stats, revision, ord)
  JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name
), heard AS (
  INSERT INTO {schema}.beats AS b (worker, seen_at, node, stats)
  SELECT DISTINCT ON (k.id) k.id, (SELECT {schema}.now_ms()), $6::text, k.told FROM known k WHERE k.valid ORDER BY k.id, k.told = '', k.ord DESC
  ON CONFLICT (worker) DO UPDATE
  SET seen_at = greatest(b.seen_at, excluded.seen_at), node = excluded.node,
      stats = CASE WHEN excluded.stats = '' THEN b.stats ELSE excluded.stats END
)
SELECT k.ord, k.id, k.state, k.session, k.revision, k.offline_cause, k.drain_deadline, k.drain_reason, k.spec, coalesce(j.running, 0),
       j.cancelling, j.lapsing, k.drain_origin
FROM known k
LEFT JOIN LATERAL (
  SELECT count(*) AS running,
         string_agg(l.id || ':' || l.fence, ' ' ORDER BY l.id) FILTER (WHERE l.flags & {flag.cancel_requested} <> 0 AND l.ends > (SELECT {schema}.now_ms())) AS cancelling,
         string_agg(l.id || ':' || l.ends, ' ' ORDER BY l.id) FILTER (WHERE NOT l.lapsed AND l.ends <= (SELECT {schema}.now_ms())) AS lapsing
  FROM (SELECT r.id, r.fence, r.flags, r.lapsed,
               CASE WHEN r.lapsed THEN r.lease_until
                    ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END AS ends
        FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
        WHERE r.worker = k.id OFFSET 0) AS l) AS j ON k.valid

-- name: beat_open
-- Workers that registered are seen; those of $2 begin a session, and count from zero.
INSERT INTO {schema}.beats AS b (worker, seen_at, node)
SELECT u.worker, {schema}.now_ms(), $3::text FROM unnest($1::integer[]) AS u (worker) ORDER BY u.worker
ON CONFLICT (worker) DO UPDATE
SET seen_at = greatest(b.seen_at, excluded.seen_at), node = excluded.node,
    completed = CASE WHEN b.worker = ANY($2::integer[]) THEN 0 ELSE b.completed END,
    failed = CASE WHEN b.worker = ANY($2::integer[]) THEN 0 ELSE b.failed END,
    stats = CASE WHEN b.worker = ANY($2::integer[]) THEN '' ELSE b.stats END

-- name: beat_revive
INSERT INTO {schema}.beats (worker, seen_at)
SELECT w.id, {schema}.now_ms() FROM {schema}.workers w
WHERE w.state < {worker.offline} AND NOT EXISTS (SELECT 1 FROM {schema}.beats b WHERE b.worker = w.id)
ORDER BY w.id
ON CONFLICT (worker) DO NOTHING

-- name: excuse_leases
-- The same for leases of a length of their own, and for time-outs: an outcome may be on its way.
WITH late AS (
  SELECT r.id FROM {schema}.running r
  WHERE (r.own_ttl AND NOT r.lapsed AND r.lease_until < {schema}.now_ms() + r.granted_ms / 3) OR r.times_out_at < {schema}.now_ms() + $1::bigint
  ORDER BY r.id FOR UPDATE
)
UPDATE {schema}.running r
SET lease_until = CASE WHEN r.own_ttl AND NOT r.lapsed THEN greatest(r.lease_until, {schema}.now_ms() + r.granted_ms / 3) ELSE r.lease_until END,
    times_out_at = CASE WHEN r.times_out_at IS NOT NULL THEN greatest(r.times_out_at, {schema}.now_ms() + $1::bigint) END
FROM late WHERE r.id = late.id

-- name: excuse_silence
-- Nobody could be heard for a while. Every live worker has at least a third of its time left, which is a beat; so have the leases that
-- follow its beats.
WITH late AS (
  SELECT b.worker, {schema}.now_ms() - w.dead_after_ms + w.dead_after_ms / 3 AS seen_at
  FROM {schema}.beats b JOIN {schema}.workers w ON w.id = b.worker AND w.state < {worker.offline}
  WHERE b.seen_at < {schema}.now_ms() - w.dead_after_ms + w.dead_after_ms / 3
  ORDER BY b.worker FOR UPDATE OF b
)
UPDATE {schema}.beats b SET seen_at = late.seen_at FROM late WHERE b.worker = late.worker
