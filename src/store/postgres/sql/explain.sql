-- name: explain_ahead
-- Ready jobs of the lane that come before this one, counted up to $4.
SELECT count(*) FROM (
  SELECT 1 FROM {schema}.waiting
  WHERE place = {place.ready} AND stand = $1::integer AND (rank, id) < ($2::bigint, $3::bigint)
  ORDER BY rank, id
  LIMIT $4::bigint
) AS ahead

-- name: explain_bound
SELECT w.name FROM {schema}.sticky s JOIN {schema}.workers w ON w.id = s.worker WHERE s.queue = $1::integer AND s.key = $2::bytea

-- name: explain_dependencies
SELECT after FROM {schema}.dependencies WHERE job = $1::bigint

-- name: explain_holders
SELECT job, count(*) OVER () FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea ORDER BY job LIMIT $3::bigint

-- name: explain_live
-- Where a live job stands, and what it wishes for.
SELECT l.place, l.stand, l.rank, wishes.namespace, wishes.concurrency_key, wishes.concurrency_limit, wishes.sticky_key, wishes.prefer,
       wishes.prefer_until
FROM (
  SELECT id, place, stand, rank FROM {schema}.waiting WHERE id = $1::bigint
  UNION ALL
  SELECT id, NULL::smallint, lane, rank FROM {schema}.running WHERE id = $1::bigint
) AS l
LEFT JOIN {schema}.wishes ON wishes.job = l.id

-- name: explain_queue
-- What caps and rate of a queue are judged by: running jobs, those of one type, the bucket.
SELECT (SELECT count(*) FROM {schema}.running r JOIN {schema}.lanes l ON l.id = r.lane WHERE l.queue = q.id),
       (SELECT count(*) FROM {schema}.running r JOIN {schema}.lanes l ON l.id = r.lane WHERE l.queue = q.id AND l.type = $2::text),
       q.tokens, q.filled_at
FROM {schema}.queues q
WHERE q.id = $1::integer

-- name: explain_steps
-- What a parked run waits for: steps that wait, and those that failed and are tried again at $2. Columns as read_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM {schema}.steps s
WHERE s.job = $1::bigint AND (s.state = {step.waiting} OR (s.state = {step.failed} AND s.until = $2::bigint)) ORDER BY s.place LIMIT $3::bigint

-- name: explain_workers
-- The live workers of a namespace with their load, by name.
SELECT w.name, w.state, w.slots, w.spec, coalesce(held.jobs, 0), w.drain_reason
FROM {schema}.workers w
LEFT JOIN (SELECT worker, count(*) AS jobs FROM {schema}.running GROUP BY worker) AS held ON held.worker = w.id
WHERE w.namespace = $1::integer AND w.state < {worker.offline}
ORDER BY w.name COLLATE "C"
