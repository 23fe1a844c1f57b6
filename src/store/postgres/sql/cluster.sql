-- name: info_count_finished
SELECT (SELECT count(*) FROM {schema}.history) + (SELECT count(*) FROM {schema}.dead)

-- name: info_count_live
SELECT (SELECT count(*) FROM {schema}.waiting) + (SELECT count(*) FROM {schema}.running)

-- name: info_leader
SELECT node, term, expires_at FROM {schema}.leader WHERE name = 'sweeps' AND expires_at > $1::bigint

-- name: info_nodes
SELECT n.name, n.address, n.version, n.started_at, n.seen_at, n.listening, n.pending, n.notify_lag_ms, coalesce(live.workers, 0)
FROM {schema}.nodes n
LEFT JOIN (
  SELECT b.node, count(*) AS workers
  FROM {schema}.beats b JOIN {schema}.workers w ON w.id = b.worker AND w.state < {worker.offline}
  GROUP BY b.node
) AS live ON live.node = n.name
ORDER BY n.name COLLATE "C"

-- name: info_node_settings
SELECT n.name, n.sealed_by, s.name, s.value, s.seal, s.own
FROM (SELECT name, sealed_by FROM {schema}.nodes ORDER BY name COLLATE "C" LIMIT $1::integer) AS n
LEFT JOIN {schema}.node_settings s ON s.node = n.name
ORDER BY n.name COLLATE "C", s.place

-- name: info_store
-- The schema's version, its size on disk, about how many jobs live and are finished, as the last ANALYZE of each table saw it, and how many
-- workers are online or draining.
SELECT (SELECT value::bigint FROM {schema}.meta WHERE name = 'schema_version'), coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint,
       coalesce(sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relname IN ('waiting', 'running')), 0)::bigint,
       coalesce(sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relname = 'dead' OR c.relispartition), 0)::bigint,
       (SELECT count(*) FROM {schema}.workers w WHERE w.state < {worker.offline})
FROM pg_class c
WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r'

-- name: leader_hold
-- Extends the lease of the term this node knows. A term that somebody else ended is not there any more, and nothing changes.
UPDATE {schema}.leader SET expires_at = {schema}.now_ms() + $3::bigint
WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint
RETURNING term

-- name: leader_release
DELETE FROM {schema}.leader WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint

-- name: leader_take
-- Takes the leadership when it is free, expired, or this node's own from before a restart. The question comes first because a term is
-- spent by asking for it; the conflict asks it again for the case that somebody was quicker.
WITH free AS (
  SELECT nextval('{schema}.terms') AS term
  WHERE NOT EXISTS (
    SELECT FROM {schema}.leader WHERE name = 'sweeps' AND node <> $1::text AND expires_at > {schema}.now_ms())
)
INSERT INTO {schema}.leader AS held (name, node, term, elected_at, expires_at)
SELECT 'sweeps', $1::text, term, {schema}.now_ms(), {schema}.now_ms() + $2::bigint FROM free
ON CONFLICT (name) DO UPDATE
SET node = excluded.node, term = excluded.term, elected_at = excluded.elected_at, expires_at = excluded.expires_at
WHERE held.expires_at <= {schema}.now_ms() OR held.node = excluded.node
RETURNING term

-- name: node_beat
INSERT INTO {schema}.nodes (name, started_at, seen_at, address, version, listening, pending, notify_lag_ms)
VALUES ($1::text, $2::bigint, {schema}.now_ms(), $3::text, $4::text, $5::boolean, $6::integer, $7::bigint)
ON CONFLICT (name) DO UPDATE
SET started_at = excluded.started_at, seen_at = excluded.seen_at, address = excluded.address, version = excluded.version,
    listening = excluded.listening, pending = excluded.pending, notify_lag_ms = excluded.notify_lag_ms
RETURNING settings_mark

-- name: node_forget
-- Rows of nodes that ended without leaving. A row somebody is writing belongs to a node that lives.
DELETE FROM {schema}.nodes
WHERE name = ANY(ARRAY(
  SELECT name FROM {schema}.nodes WHERE seen_at <= {schema}.now_ms() - $1::bigint FOR UPDATE SKIP LOCKED))

-- name: node_leave
DELETE FROM {schema}.nodes WHERE name = $1::text

-- name: node_settings_clear
DELETE FROM {schema}.node_settings WHERE node = $1::text

-- name: node_settings_mark
-- The first of the three that tell a node's settings. It holds the node's row, so that a beat and a reload never write at the same time. No
-- row: they are told already, or the node's own row is gone and comes back with its next beat.
UPDATE {schema}.nodes SET settings_mark = $2::text, sealed_by = $3::text
WHERE name = $1::text AND settings_mark <> $2::text
RETURNING name

-- name: node_settings_put
INSERT INTO {schema}.node_settings (node, place, name, value, seal, own)
SELECT $5::text, told.place, told.name, told.value, told.seal, told.own
FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) WITH ORDINALITY AS told (name, value, seal, own, place)

-- name: notify
SELECT pg_notify($1::text, $2::text)
