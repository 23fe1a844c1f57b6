-- name: attempt_delete
DELETE FROM attempts WHERE job = ?1

-- name: attempt_insert
INSERT INTO attempts (job, attempt, fence, worker, started_at, ended_at, outcome, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- name: attempt_list
SELECT attempt, fence, worker, started_at, ended_at, outcome, error FROM attempts WHERE job = ?1 ORDER BY id

-- name: attempt_trim
-- Keeps the newest ?2 records of a job.
DELETE FROM attempts
WHERE job = ?1 AND id <= (SELECT id FROM attempts WHERE job = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)

-- name: content_delete
DELETE FROM contents WHERE job = ?1

-- name: content_delete_one
DELETE FROM contents WHERE job = ?1 AND kind = ?2

-- name: content_get
SELECT data FROM contents WHERE job = ?1 AND kind = ?2

-- name: content_put
INSERT OR REPLACE INTO contents (job, kind, data) VALUES (?1, ?2, ?3)

-- name: dependency_all
SELECT job, after FROM dependencies

-- name: dependency_delete
DELETE FROM dependencies WHERE job = ?1 AND after = ?2

-- name: dependency_delete_of_job
DELETE FROM dependencies WHERE job = ?1

-- name: dependency_insert
INSERT OR IGNORE INTO dependencies (job, after) VALUES (?1, ?2)

-- name: idempotency_delete
DELETE FROM idempotency WHERE namespace = ?1 AND key = ?2 AND job = ?3

-- name: idempotency_find
SELECT job FROM idempotency WHERE namespace = ?1 AND key = ?2

-- name: idempotency_insert
INSERT OR REPLACE INTO idempotency (namespace, key, job) VALUES (?1, ?2, ?3)

-- name: job_body
SELECT flags, spec, payload FROM jobs WHERE id = ?1

-- name: job_bounds
SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM jobs

-- name: job_cancel_reason
SELECT cancel_reason FROM jobs WHERE id = ?1

-- name: job_cancel_request
UPDATE jobs SET flags = ?2, cancel_reason = ?3 WHERE id = ?1

-- name: job_claim
UPDATE jobs SET state = {state.running}, event = {event.claimed}, attempt = ?2, fence = ?3, worker = ?4, started_at = ?5, lease = ?6 WHERE id = ?1

-- name: job_complete
UPDATE jobs SET state = {state.completed}, event = {event.completed}, flags = ?2, finished_at = ?3, result = ?4 WHERE id = ?1

-- name: job_count_finished
SELECT COUNT(*) FROM jobs WHERE id >= ?1 AND state >= {state.completed}

-- name: job_count_range
SELECT COUNT(*) FROM jobs WHERE id >= ?1 AND id < ?2

-- name: job_counts
-- How many jobs are where. ?1 to ?3: namespace, queue and type; ?4: states as bits, 0 for all; ?5: only runs; ?6: now. Rows are counted
-- by lane before names are looked at.
SELECT n.name, q.name, l.type, c.state, SUM(c.count)
FROM (
  SELECT lane, CASE WHEN state = {state.scheduled} AND run_at <= ?6 THEN {state.ready} ELSE state END AS state, COUNT(*) AS count
  FROM jobs
  WHERE ?5 = 0 OR (flags & {flag.run}) != 0
  GROUP BY 1, 2
) c
JOIN lanes l ON l.id = c.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
WHERE (?1 IS NULL OR n.name = ?1)
  AND (?2 IS NULL OR q.name = ?2)
  AND (?3 IS NULL OR l.type = ?3)
  AND (?4 = 0 OR (?4 & (1 << c.state)) != 0)
GROUP BY n.name, q.name, l.type, c.state
ORDER BY n.name, q.name, l.type, c.state

-- name: job_delete
DELETE FROM jobs WHERE id = ?1

-- name: job_flags
UPDATE jobs SET flags = ?2 WHERE id = ?1

-- name: job_insert
INSERT INTO jobs (id, lane, state, flags, priority, rank, run_at, created_at, expires_at, spec, payload)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)

-- name: job_lanes
SELECT id, lane FROM jobs WHERE id >= ?1 ORDER BY id LIMIT ?2

-- name: job_last
SELECT COALESCE(MAX(id), 0) FROM jobs

-- name: job_lease
UPDATE jobs SET lease = ?2 WHERE id = ?1

-- part: job_list_rows
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence, j.worker, j.started_at,
  j.finished_at, j.spec, j.payload, j.result, j.error, j.expires_at, n.name, q.name, l.type, l.needs, w.name
FROM jobs j
JOIN lanes l ON l.id = j.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = j.worker

-- part: job_list_filter
  AND (?3 IS NULL OR n.name = ?3)
  AND (?4 IS NULL OR q.name = ?4)
  AND (?5 IS NULL OR l.type = ?5)
  AND (?6 IS NULL OR w.name = ?6)
  AND (?7 = 0 OR (?7 & (1 << CASE WHEN j.state = {state.scheduled} AND j.run_at <= ?8 THEN {state.ready} ELSE j.state END)) != 0)
  AND (?9 IS NULL OR j.created_at > ?9)
  AND (?10 IS NULL OR j.created_at < ?10)
  AND (?14 = 0 OR (j.flags & {flag.run}) != 0)
  AND (?11 IS NULL OR json_extract(j.error, '$.kind') = ?11)
  AND (?12 IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(?12) wanted
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(COALESCE(j.spec, '{}'), '$.labels') have
      WHERE have.key = wanted.key AND have.value = wanted.value)))

-- name: job_list_newest
-- One stretch of the listing, newest first: ids below ?1 and not below ?2. A scheduled row that is due counts as ready.
{part.job_list_rows}
WHERE j.id < ?1 AND j.id >= ?2
{part.job_list_filter}
ORDER BY j.id DESC
LIMIT ?13

-- name: job_list_oldest
-- One stretch of the listing, oldest first: ids above ?1 and not above ?2. A scheduled row that is due counts as ready.
{part.job_list_rows}
WHERE j.id > ?1 AND j.id <= ?2
{part.job_list_filter}
ORDER BY j.id
LIMIT ?13

-- name: job_live
-- What the memory index is rebuilt from.
SELECT id, lane, state, flags, priority, rank, run_at, created_at, event, attempt, rescues, fence, worker, started_at, spec, expires_at, lease
FROM jobs WHERE id >= ?1 AND state < {state.completed} ORDER BY id

-- name: job_move
-- Every other move: the whole changeable part of the row.
UPDATE jobs
SET state = ?2, event = ?3, flags = ?4, rank = ?5, run_at = ?6, attempt = ?7, rescues = ?8, finished_at = ?9, error = ?10
WHERE id = ?1

-- name: job_prune_scan
SELECT id, lane, state, flags, created_at, finished_at, fence, attempt, spec FROM jobs WHERE id >= ?1 ORDER BY id LIMIT ?2

-- name: job_read
SELECT id, lane, state, flags, priority, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at, spec,
  payload, result, error, expires_at
FROM jobs WHERE id = ?1

-- name: job_redrive
UPDATE jobs
SET state = {state.ready}, event = ?2, flags = ?3, rank = ?4, run_at = ?5, expires_at = ?6, attempt = 0, rescues = 0, finished_at = NULL, result = NULL,
  cancel_reason = NULL, lease = NULL
WHERE id = ?1

-- name: job_settled
SELECT state, event, fence, attempt, run_at, lane FROM jobs WHERE id = ?1

-- name: progress_delete
DELETE FROM progress WHERE job = ?1

-- name: progress_get
SELECT fraction, message, partial, partial_encoding, at FROM progress WHERE job = ?1

-- name: progress_put
INSERT OR REPLACE INTO progress (job, fraction, message, partial, partial_encoding, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
