-- name: queue_change
-- $4: the rate is another one, and its bucket starts full.
UPDATE {schema}.queues
SET settings = $2::bytea, gated = $3::boolean, tokens = CASE WHEN $4::boolean THEN NULL ELSE tokens END,
    filled_at = CASE WHEN $4::boolean THEN NULL ELSE filled_at END
WHERE id = $1::integer

-- name: queue_count_running
-- What runs already counts under the new cap.
UPDATE {schema}.running SET counted = true
WHERE NOT counted AND lane IN (SELECT id FROM {schema}.lanes WHERE queue = $1::integer)

-- name: queue_counts
-- The live jobs of every lane at $1: scheduled, ready, the due time of the one that has been ready longest, running.
SELECT w.lane, count(*) FILTER (WHERE NOT w.ready), count(*) FILTER (WHERE w.ready), min(w.run_at) FILTER (WHERE w.ready), 0::bigint
FROM (SELECT lane, run_at, place IN ({place.ready}, {place.key_full}) OR (place = {place.scheduled} AND run_at <= $1::bigint) AS ready FROM {schema}.waiting) AS w
GROUP BY w.lane
UNION ALL
SELECT r.lane, 0::bigint, 0::bigint, NULL::bigint, count(*) FROM {schema}.running r GROUP BY r.lane

-- name: queue_heads
-- How many jobs stand ready in each of these lanes, counted up to $2.
SELECT l.lane, (SELECT count(*) FROM (SELECT 1 FROM {schema}.waiting w WHERE w.place = {place.ready} AND w.stand = l.lane LIMIT $2::bigint) AS heads)
FROM unnest($1::integer[]) AS l (lane)

-- name: queue_lock
SELECT id, settings FROM {schema}.queues WHERE namespace = $1::integer AND name = $2::text FOR UPDATE

-- name: queue_lock_running
-- No claim is half way: one that began before a cap was set must not stay uncounted.
LOCK TABLE {schema}.running IN SHARE ROW EXCLUSIVE MODE

-- name: queue_put
-- Only while its namespace is there.
INSERT INTO {schema}.queues (namespace, name)
SELECT n.id, $2::text FROM {schema}.namespaces n WHERE n.id = $1::integer FOR KEY SHARE
ON CONFLICT (namespace, name) DO NOTHING

-- name: queue_tokens
SELECT id, tokens, filled_at FROM {schema}.queues WHERE id = ANY($1::integer[]) ORDER BY id FOR UPDATE

-- name: queue_tokens_put
UPDATE {schema}.queues SET tokens = $2::double precision, filled_at = $3::bigint WHERE id = $1::integer
