-- name: sticky_find
SELECT worker FROM {schema}.sticky WHERE queue = $1::integer AND key = $2::bytea

-- name: sticky_put
INSERT INTO {schema}.sticky (queue, key, worker) VALUES ($1::integer, $2::bytea, $3::integer)
ON CONFLICT (queue, key) DO UPDATE SET worker = excluded.worker

-- name: worker_add
-- Names that are taken meanwhile do not come back.
INSERT INTO {schema}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, last_seen_at)
SELECT u.namespace, u.name, nextval('{schema}.fences'), {worker.online}, nextval('{schema}.fences'), u.slots, u.dead_after_ms, u.spec,
       {schema}.now_ms(), {schema}.now_ms()
FROM (SELECT * FROM unnest($1::integer[], $2::text[], $3::integer[], $4::bigint[], $5::text[])
               AS u (namespace, name, slots, dead_after_ms, spec) ORDER BY namespace, name) AS u
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id, namespace, name, session, revision

-- name: worker_bonds
SELECT DISTINCT worker FROM {schema}.sticky WHERE worker = ANY($1::integer[])

-- name: worker_count
-- How many workers there are at most. Keys grow, so the highest one answers it while it leaves room ($1); then they are counted.
SELECT CASE WHEN coalesce(max(id), 0) <= $1::bigint THEN coalesce(max(id), 0)::bigint
            ELSE (SELECT count(*) FROM {schema}.workers) END
FROM {schema}.workers

-- name: worker_find
SELECT id FROM {schema}.workers WHERE namespace = $1::integer AND name = $2::text

-- name: worker_held
-- Ready jobs that stand in lanes made for one of these capabilities. A lane too many is harmless: its jobs take the same place again.
SELECT j.id
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, need)
JOIN {schema}.queues q ON q.namespace = u.namespace
JOIN {schema}.lanes l ON l.queue = q.id AND l.home IS NOT NULL AND position(u.need IN l.needs) > 0
JOIN {schema}.waiting j ON j.stand = l.id AND j.stand <> j.lane
WHERE j.place = {place.ready}

-- name: worker_leases
SELECT id FROM {schema}.running WHERE worker = ANY($1::integer[]) ORDER BY id

-- name: worker_leases_close
-- Leases of these workers are over at the time they have now; no beat counts for them any more.
WITH held AS (
  SELECT r.id, greatest(r.lease_until, b.seen_at + r.granted_ms) AS ends
  FROM {schema}.running r JOIN {schema}.beats b ON b.worker = r.worker
  WHERE r.worker = ANY($1::integer[]) AND NOT r.lapsed
  ORDER BY r.id FOR UPDATE OF r
)
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = held.ends
FROM held WHERE r.id = held.id

-- name: worker_load
SELECT id, namespace, name, session, state, revision, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
       drain_reason, drain_origin
FROM {schema}.workers WHERE id = $1::integer

-- name: worker_lock
SELECT id, namespace, name, session, state, revision, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
       drain_reason, drain_origin, completed, failed, stats
FROM {schema}.workers WHERE id = ANY($1::integer[]) ORDER BY id FOR UPDATE

-- name: worker_look
-- Which of these workers there are, without waiting for anybody.
SELECT a.ord, w.id, w.state, w.session
FROM unnest($1::integer[], $2::text[]) WITH ORDINALITY AS a (namespace, name, ord)
JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name

-- name: worker_own_drain
-- Workers that say they take no more work. Those that drain already are left as they are.
UPDATE {schema}.workers w SET state = {worker.draining}, drain_reason = $4::bytea, drain_origin = {drain.itself},
  revision = nextval('{schema}.fences')
FROM unnest($1::integer[], $2::text[], $3::bigint[]) AS u (namespace, name, session)
WHERE w.namespace = u.namespace AND w.name = u.name AND w.state = {worker.online} AND (u.session IS NULL OR u.session = w.session)
RETURNING w.namespace, w.name, w.session

-- name: worker_own_ttl
-- The silence that ends these workers' leases is another one now: leases of the old length end by themselves.
UPDATE {schema}.running r SET own_ttl = true
FROM unnest($1::integer[], $2::bigint[]) AS u (worker, dead_after_ms)
WHERE r.worker = u.worker AND NOT r.own_ttl AND r.granted_ms <> u.dead_after_ms

-- name: worker_page
-- Workers of a namespace behind a name, in the order of bytes. Columns as in worker_read.sql. No states: all.
SELECT w.id, w.namespace, w.name, w.session, w.state, w.revision, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, w.drain_origin, w.completed, w.failed, w.stats, b.seen_at, b.completed, b.failed, b.stats,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM (SELECT * FROM {schema}.workers
      WHERE namespace = $1::integer AND name COLLATE "C" > $2::text AND (cardinality($3::smallint[]) = 0 OR state = ANY($3::smallint[]))
      ORDER BY name COLLATE "C" LIMIT $4::bigint) AS w
LEFT JOIN {schema}.beats b ON b.worker = w.id
ORDER BY w.name COLLATE "C"

-- name: worker_put
-- Everything of these workers that changes. A NULL session opens a new one.
UPDATE {schema}.workers w
SET session = coalesce(u.session, nextval('{schema}.fences')), state = u.state, revision = nextval('{schema}.fences'), slots = u.slots,
    dead_after_ms = u.dead_after_ms, spec = u.spec, registered_at = u.registered_at, last_seen_at = u.last_seen_at,
    offline_at = u.offline_at, offline_cause = u.offline_cause, drain_deadline = u.drain_deadline, drain_reason = u.drain_reason,
    drain_origin = u.drain_origin, completed = u.completed, failed = u.failed, stats = u.stats
FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::integer[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::text[], $11::bigint[], $12::bytea[], $13::smallint[], $14::bigint[], $15::bigint[], $16::bytea[])
     AS u (id, session, state, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
           drain_reason, drain_origin, completed, failed, stats)
WHERE w.id = u.id
RETURNING w.id, w.session, w.revision

-- name: worker_read
-- The first columns are those of worker_lock.sql.
SELECT w.id, w.namespace, w.name, w.session, w.state, w.revision, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, w.drain_origin, w.completed, w.failed, w.stats, b.seen_at, b.completed, b.failed, b.stats,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM unnest($1::integer[], $2::text[]) AS a (namespace, name)
JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name
LEFT JOIN {schema}.beats b ON b.worker = w.id

-- name: worker_running
SELECT worker, count(*) FROM {schema}.running WHERE worker = ANY($1::integer[]) GROUP BY worker

-- name: worker_ties
-- The namespaces whose gates are needed when these workers give up what they have: bonds, and running jobs with wishes.
SELECT DISTINCT w.namespace
FROM {schema}.workers w
WHERE w.id = ANY($1::integer[])
  AND (EXISTS (SELECT 1 FROM {schema}.sticky s WHERE s.worker = w.id)
       OR EXISTS (SELECT 1 FROM {schema}.running r WHERE r.worker = w.id AND r.special))

-- name: worker_unbind
DELETE FROM {schema}.sticky WHERE worker = ANY($1::integer[])

-- name: workers_online
SELECT id, revision FROM {schema}.workers WHERE namespace = $1::integer AND state = {worker.online}
