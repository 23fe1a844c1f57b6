-- name: cancel_request
UPDATE {schema}.running SET flags = flags | {flag.cancel_requested}, cancel_reason = $2::bytea WHERE id = $1::bigint

-- name: complete
-- Plain running jobs whose lease holds. Those that do not come back are looked at one by one.
WITH done AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::smallint[], $5::text[]) AS u (id, fence, result, flags, holder)
  WHERE r.id = u.id AND r.fence = u.fence AND NOT r.special
    AND (u.holder IS NULL OR EXISTS (SELECT 1 FROM {schema}.workers w WHERE w.id = r.worker AND w.name = u.holder))
    AND (r.lease_until > (SELECT {schema}.now_ms())
         OR (NOT r.lapsed AND EXISTS (SELECT 1 FROM {schema}.beats b
                                      WHERE b.worker = r.worker AND b.seen_at + r.granted_ms > (SELECT {schema}.now_ms()))))
  RETURNING r.id, (SELECT {schema}.now_ms()) AS finished_at, r.created_at, r.run_at, r.fence, r.started_at, r.lane, r.worker, r.attempt, r.rescues,
            r.flags | u.flags AS flags, r.priority, r.lease_ms, r.timeout_ms, r.expires_at, r.spec, r.payload, u.result, r.error,
            r.attempts, r.progress, r.partial
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                              priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                              partial)
SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, {state.completed}, flags, priority, {event.completed}, lease_ms, timeout_ms,
       expires_at, spec, payload, result, error, attempts, progress, partial
FROM done
RETURNING id, lane, worker, attempt, fence, flags, CASE WHEN flags & {flag.child_run} <> 0 THEN spec END

-- name: count_jobs
-- How many jobs are where. Bits: which sources (view jobs) and which states are wanted; 0: any state. $4: flags that must be there; 0: none.
SELECT j.lane, (CASE WHEN j.state = {state.scheduled} AND j.run_at <= {schema}.now_ms() THEN {state.ready} ELSE j.state END)::smallint AS state, count(*)
FROM {schema}.jobs j
WHERE ($1::integer >> j.source) & 1 = 1
  AND ($2::integer = 0 OR ($2::integer >> (CASE WHEN j.state = {state.scheduled} AND j.run_at <= {schema}.now_ms() THEN {state.ready} ELSE j.state END)) & 1 = 1)
  AND ($3::integer[] IS NULL OR j.lane IN (SELECT unnest($3::integer[])))
  AND ($4::integer = 0 OR j.flags & $4::integer <> 0)
GROUP BY 1, 2

-- name: dependencies_delete
DELETE FROM {schema}.dependencies WHERE job = ANY($1::bigint[])

-- name: dependencies_put
INSERT INTO {schema}.dependencies (job, after) SELECT * FROM unnest($1::bigint[], $2::bigint[])

-- name: dependencies_take
-- Who waited for these jobs; one row less to wait for.
DELETE FROM {schema}.dependencies WHERE after = ANY($1::bigint[]) RETURNING job, after

-- name: enqueue
-- Many jobs at once. A NULL id, place or rank is worked out here: the next key, ready or scheduled by the due time, and the due time moved by
-- the priority (model/rank.h). A lane that is gone, or of a namespace that is not enabled, is a NULL where none
-- may be: the whole statement is refused, and the caller learns the lanes anew.
WITH asked AS (
  SELECT u.*, l.id AS lane_now, t.now, greatest(coalesce(u.run_at, t.now + u.delay), t.now) AS due
  FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::smallint[], $10::boolean[], $11::smallint[], $12::bigint[], $13::text[], $14::bytea[], $15::bigint[])
       WITH ORDINALITY AS u (id, lane, priority, run_at, delay, expires_in, lease_ms, timeout_ms, flags, special, place, rank, spec, payload,
                             deadline, ord)
  LEFT JOIN {schema}.lanes l ON l.id = u.lane
    AND l.queue <> ALL(ARRAY(SELECT q.id FROM {schema}.namespaces n JOIN {schema}.queues q ON q.namespace = n.id WHERE NOT n.enabled))
  CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
  ORDER BY u.ord
), fresh AS MATERIALIZED (
  SELECT coalesce(a.id, nextval('{schema}.job_keys')) AS id, a.ord, a.lane_now AS lane, a.priority, a.due, a.now, a.expires_in, a.deadline, a.lease_ms,
         a.timeout_ms, a.flags, a.special, coalesce(a.place, CASE WHEN a.due <= a.now THEN {place.ready} ELSE {place.scheduled} END::smallint) AS place,
         coalesce(a.rank, a.due * 1000 - a.priority * {rank.per_point}::bigint) AS rank, a.spec, a.payload
  FROM asked a
), put AS (
  INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                                lease_ms, timeout_ms, expires_at, spec, payload)
  SELECT id, rank, now, CASE WHEN place = {place.blocked} THEN NULL ELSE due END, lane, lane, 0, 0, place, flags, priority, {event.enqueued}, special, lease_ms,
         timeout_ms, least(now + expires_in, deadline), spec, payload
  FROM fresh
)
SELECT ord, id, place, due, now FROM fresh

-- name: enqueue_now
-- As enqueue, for jobs that are due at once and have no bounds of their own. $6: the version of the directory their lanes were found in; after
-- any change of it nothing is done and nothing comes back. Keys come back in the order of the jobs.
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special, spec, payload)
SELECT nextval('{schema}.job_keys'), t.now * 1000 - u.priority * {rank.per_point}::bigint, t.now, t.now, u.lane, u.lane, 0, 0, {place.ready}, u.flags,
       u.priority, {event.enqueued}, false, u.spec, u.payload
FROM (SELECT {schema}.now_ms() AS now FROM {schema}.meta WHERE name = 'directory_version' AND value::bigint = $6::bigint OFFSET 0) AS t
CROSS JOIN unnest($1::integer[], $2::smallint[], $3::smallint[], $4::text[], $5::bytea[]) AS u (lane, priority, flags, spec, payload)
RETURNING id

-- part: finished_go
), buried AS (
  INSERT INTO {schema}.dead (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                             priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                             partial)
  SELECT * FROM gone WHERE state = {state.dead}
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                              priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                              partial)
SELECT * FROM gone WHERE state <> {state.dead}

-- name: finish_running
-- To history, or among the dead. A NULL error or list of attempts keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::integer[], $5::smallint[], $6::bytea[], $7::text[], $8::text[])
        AS u (id, state, event, attempt, flags, result, error, attempts)
  WHERE r.id = u.id
  RETURNING r.id, {schema}.now_ms() AS finished_at, r.created_at, r.run_at, r.fence, r.started_at, r.lane, r.worker, u.attempt,
            r.rescues, u.state, u.flags, r.priority, u.event, r.lease_ms, r.timeout_ms, r.expires_at, r.spec, r.payload, u.result,
            coalesce(u.error, r.error) AS error, coalesce(u.attempts, r.attempts) AS attempts, r.progress, r.partial
{part.finished_go}

-- name: finish_waiting
-- To history, or among the dead, without having run again. A NULL error keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.waiting w
  USING unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[]) AS u (id, state, event, error)
  WHERE w.id = u.id
  RETURNING w.id, {schema}.now_ms() AS finished_at, w.created_at, w.run_at, w.fence, w.started_at, w.lane, w.worker, w.attempt,
            w.rescues, u.state, w.flags, w.priority, u.event, w.lease_ms, w.timeout_ms, w.expires_at, w.spec, w.payload,
            NULL::bytea AS result, coalesce(u.error, w.error) AS error, w.attempts, w.progress, w.partial
{part.finished_go}

-- name: finished_read
-- Held until the commit, so that retention does not take it away in between.
WITH buried AS (
  SELECT lane, state, priority, spec, fence FROM {schema}.dead WHERE id = $1::bigint FOR UPDATE
), past AS (
  SELECT lane, state, priority, spec, fence FROM {schema}.history WHERE id = $1::bigint FOR UPDATE
)
SELECT * FROM buried UNION ALL SELECT * FROM past

-- name: holders_count
SELECT count(*) FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea

-- name: holders_delete
DELETE FROM {schema}.holders h USING unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job)
WHERE h.namespace = u.namespace AND h.key = u.key AND h.job = u.job

-- name: holders_put
INSERT INTO {schema}.holders (namespace, key, job) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[])

-- name: idempotency_delete
DELETE FROM {schema}.idempotency WHERE job = ANY($1::bigint[])

-- name: idempotency_find
SELECT i.namespace, i.key, i.job
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, key) JOIN {schema}.idempotency i ON i.namespace = u.namespace AND i.key = u.key

-- name: idempotency_put
INSERT INTO {schema}.idempotency (namespace, key, job)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job) ORDER BY namespace, key
ON CONFLICT (namespace, key) DO NOTHING

-- name: job_keys
SELECT nextval('{schema}.job_keys') FROM generate_series(1, $1::integer)

-- name: jobs_gates
-- The namespaces whose gates these jobs need, those of the jobs that wait for them included.
SELECT DISTINCT w.namespace
FROM {schema}.wishes w
WHERE (w.job = ANY($1::bigint[]) OR w.job IN (SELECT d.job FROM {schema}.dependencies d WHERE d.after = ANY($1::bigint[])))
  AND (w.concurrency_key IS NOT NULL OR w.sticky_key IS NOT NULL OR w.prefer IS NOT NULL OR w.fair_lane IS NOT NULL)

-- name: jobs_lock_running
-- A worker without a beat was forgotten by a crash of the database, which is not silence.
SELECT r.id, r.lane, r.rank, r.run_at, r.expires_at, r.started_at, r.times_out_at, r.attempt, r.rescues, r.fence, r.worker,
       CASE WHEN r.lapsed THEN r.lease_until
            ELSE greatest(r.lease_until, coalesce(b.seen_at, {schema}.now_ms()) + r.granted_ms) END,
       r.flags, r.priority, r.special, r.spec, r.attempts, r.cancel_reason
FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
WHERE r.id = ANY($1::bigint[]) ORDER BY r.id FOR UPDATE OF r

-- name: jobs_lock_waiting
SELECT id, place, lane, stand, rank, run_at, expires_at, started_at, attempt, rescues, fence, worker, flags, priority, special, spec,
       attempts, event
FROM {schema}.waiting WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE

-- name: leases_read
SELECT id, granted_ms, progress FROM {schema}.running WHERE id = ANY($1::bigint[])

-- name: list_edge_newest
-- The first job of a listing, newest first, below $1.
SELECT j.id FROM {schema}.jobs j WHERE j.id < $1::bigint AND ($2::integer >> j.source) & 1 = 1 ORDER BY j.id DESC LIMIT 1

-- name: list_edge_oldest
-- The first job of a listing, oldest first, above $1.
SELECT j.id FROM {schema}.jobs j WHERE j.id > $1::bigint AND ($2::integer >> j.source) & 1 = 1 ORDER BY j.id LIMIT 1

-- name: list_newest
-- One stretch of a listing, newest first: ids below $1 and not below $2. Columns as read_rows.h says, then the bytes of contents up to here.
-- What the text of error and spec is asked for is necessary, not sufficient: the caller looks at the parsed values again.
-- Contents end where their sum passes $14, so that a page of large ones fits.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.attempt, j.rescues, j.fence, w.name, j.started_at,
       j.finished_at, j.expires_at,
       CASE WHEN j.lapsed THEN j.lease_until ELSE greatest(j.lease_until, coalesce(b.seen_at, $5::bigint) + j.granted_ms) END,
       j.spec, CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.payload END,
       CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.result END, j.error, j.event, j.bytes
FROM (
  SELECT page.*, CASE WHEN $13::boolean THEN
           sum(octet_length(page.payload) + coalesce(octet_length(page.result), 0)) OVER (ORDER BY page.id DESC) ELSE 0 END AS bytes
  FROM (
    SELECT * FROM {schema}.jobs j
    WHERE j.id < $1::bigint AND j.id >= $2::bigint
      AND ($3::integer >> j.source) & 1 = 1
      AND ($4::integer = 0
           OR ($4::integer >> (CASE WHEN j.state = {state.scheduled} AND j.run_at <= $5::bigint THEN {state.ready} ELSE j.state END)) & 1 = 1)
      AND ($6::integer[] IS NULL OR j.lane IN (SELECT unnest($6::integer[])))
      AND ($7::integer[] IS NULL OR j.worker IN (SELECT unnest($7::integer[])))
      AND ($8::bigint IS NULL OR j.created_at > $8::bigint)
      AND ($9::bigint IS NULL OR j.created_at < $9::bigint)
      AND ($10::text IS NULL OR starts_with(j.error, $10::text))
      AND ($11::text IS NULL OR strpos(j.spec, $11::text) > 0)
      AND ($15::integer = 0 OR j.flags & $15::integer <> 0)
    ORDER BY j.id DESC
    LIMIT $12::bigint
  ) AS page
) AS j
LEFT JOIN {schema}.workers w ON w.id = j.worker
LEFT JOIN {schema}.beats b ON b.worker = j.worker
ORDER BY j.id DESC

-- name: list_oldest
-- One stretch of a listing, oldest first: ids above $1 and not above $2. Columns as read_rows.h says, then the bytes of contents up to here.
-- What the text of error and spec is asked for is necessary, not sufficient: the caller looks at the parsed values again.
-- Contents end where their sum passes $14, so that a page of large ones fits.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.attempt, j.rescues, j.fence, w.name, j.started_at,
       j.finished_at, j.expires_at,
       CASE WHEN j.lapsed THEN j.lease_until ELSE greatest(j.lease_until, coalesce(b.seen_at, $5::bigint) + j.granted_ms) END,
       j.spec, CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.payload END,
       CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.result END, j.error, j.event, j.bytes
FROM (
  SELECT page.*, CASE WHEN $13::boolean THEN
           sum(octet_length(page.payload) + coalesce(octet_length(page.result), 0)) OVER (ORDER BY page.id) ELSE 0 END AS bytes
  FROM (
    SELECT * FROM {schema}.jobs j
    WHERE j.id > $1::bigint AND j.id <= $2::bigint
      AND ($3::integer >> j.source) & 1 = 1
      AND ($4::integer = 0
           OR ($4::integer >> (CASE WHEN j.state = {state.scheduled} AND j.run_at <= $5::bigint THEN {state.ready} ELSE j.state END)) & 1 = 1)
      AND ($6::integer[] IS NULL OR j.lane IN (SELECT unnest($6::integer[])))
      AND ($7::integer[] IS NULL OR j.worker IN (SELECT unnest($7::integer[])))
      AND ($8::bigint IS NULL OR j.created_at > $8::bigint)
      AND ($9::bigint IS NULL OR j.created_at < $9::bigint)
      AND ($10::text IS NULL OR starts_with(j.error, $10::text))
      AND ($11::text IS NULL OR strpos(j.spec, $11::text) > 0)
      AND ($15::integer = 0 OR j.flags & $15::integer <> 0)
    ORDER BY j.id
    LIMIT $12::bigint
  ) AS page
) AS j
LEFT JOIN {schema}.workers w ON w.id = j.worker
LEFT JOIN {schema}.beats b ON b.worker = j.worker
ORDER BY j.id

-- name: list_workers_named
-- Who went by this name, in one namespace or, with 0, in any.
SELECT id FROM {schema}.workers WHERE name = $1::text AND ($2::integer = 0 OR namespace = $2::integer)

-- name: parked_delete
DELETE FROM {schema}.parked p
USING unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[])
      AS u (namespace, key, stand, key_limit, rank, job)
WHERE p.namespace = u.namespace AND p.key = u.key AND p.stand = u.stand AND p.key_limit = u.key_limit AND p.rank = u.rank
  AND p.job = u.job

-- name: parked_put
INSERT INTO {schema}.parked (namespace, key, stand, key_limit, rank, job)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[])

-- name: progress_put
-- A report without a partial result keeps the one before.
UPDATE {schema}.running r SET progress = u.progress, partial = coalesce(u.partial, r.partial)
FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS u (id, progress, partial)
WHERE r.id = u.id

-- name: read_jobs
-- Jobs by their keys, whole. Columns as read_rows.h says.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.attempt, j.rescues, j.fence, w.name, j.started_at,
       j.finished_at, j.expires_at,
       CASE WHEN j.lapsed THEN j.lease_until ELSE greatest(j.lease_until, coalesce(b.seen_at, $2::bigint) + j.granted_ms) END,
       j.spec, j.payload, j.result, j.error, j.event, j.attempts, j.progress, j.partial, wishes.pending
FROM {schema}.jobs j
LEFT JOIN {schema}.workers w ON w.id = j.worker
LEFT JOIN {schema}.beats b ON b.worker = j.worker
LEFT JOIN {schema}.wishes ON wishes.job = j.id
WHERE j.id = ANY($1::bigint[])

-- name: redrive
-- Out of the finished set, as new: no attempts, no rescues.
WITH risen AS (
  DELETE FROM {schema}.dead d WHERE d.id = $1::bigint
  RETURNING d.id, d.created_at, d.lane, d.flags, d.priority, d.lease_ms, d.timeout_ms, d.fence, d.started_at, d.worker, d.spec, d.payload,
            d.error, d.attempts, d.progress, d.partial
), recalled AS (
  DELETE FROM {schema}.history h WHERE h.id = $1::bigint
  RETURNING h.id, h.created_at, h.lane, h.flags, h.priority, h.lease_ms, h.timeout_ms, h.fence, h.started_at, h.worker, h.spec, h.payload,
            h.error, h.attempts, h.progress, h.partial
)
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                              lease_ms, timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress,
                              partial)
SELECT id, $2::bigint, created_at, $3::bigint, lane, lane, 0, 0, {place.ready}, flags & $7::smallint, priority, $4::smallint, $5::boolean, lease_ms, timeout_ms,
       $6::bigint, fence, started_at, worker, spec, payload, error, attempts, progress, partial
FROM (SELECT * FROM risen UNION ALL SELECT * FROM recalled) AS back
RETURNING id

-- name: renew
UPDATE {schema}.running r
SET lease_until = u.lease_until, granted_ms = coalesce(u.granted_ms, r.granted_ms), own_ttl = r.own_ttl OR u.own_ttl
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) AS u (id, lease_until, granted_ms, own_ttl)
WHERE r.id = u.id

-- name: replace
-- Waiting jobs take another place.
UPDATE {schema}.waiting w SET place = u.place, stand = u.stand, rank = u.rank, run_at = u.run_at, event = coalesce(u.event, w.event)
FROM unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bigint[], $5::bigint[], $6::smallint[])
     AS u (id, place, stand, rank, run_at, event)
WHERE w.id = u.id

-- name: requeue
-- From running back to waiting. One whose time to wait ended while it ran ({flag.outwaited}) expires at once. A NULL error or list of attempts keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[], $7::integer[],
               $8::smallint[], $9::text[], $10::text[])
        AS u (id, place, stand, rank, run_at, attempt, rescues, event, error, attempts)
  WHERE r.id = u.id
  RETURNING r.id, u.rank, r.created_at, u.run_at, r.lane, u.stand, u.attempt, u.rescues, u.place, r.flags & ~{flag.outwaited}, r.priority, u.event,
            r.special, r.lease_ms, r.timeout_ms,
            CASE WHEN r.flags & {flag.outwaited} <> 0 THEN {schema}.now_ms() ELSE r.expires_at END, r.fence, r.started_at, r.worker, r.spec, r.payload,
            coalesce(u.error, r.error) AS error, coalesce(u.attempts, r.attempts) AS attempts, r.progress, r.partial
)
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                              lease_ms, timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress,
                              partial)
SELECT * FROM gone

-- name: running_expires_at
-- It was taken before its time to wait was over; what is left is the deadline.
UPDATE {schema}.running SET expires_at = $2::bigint, flags = flags | {flag.outwaited} WHERE id = $1::bigint

-- name: settled_read
-- What became of jobs that are not running: state, the last event, and under which fence. A scheduled row that is due reads as ready.
SELECT id, (CASE WHEN place IN ({place.ready}, {place.key_full}) OR (place = {place.scheduled} AND run_at <= {schema}.now_ms()) THEN {state.ready} ELSE {state.scheduled} END)::smallint, event, fence, attempt,
       run_at
FROM {schema}.waiting WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, event, fence, attempt, NULL FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, event, fence, attempt, NULL FROM {schema}.history WHERE id = ANY($1::bigint[])

-- name: states_read
SELECT id, (CASE WHEN place IN ({place.ready}, {place.key_full}) OR (place = {place.scheduled} AND run_at <= {schema}.now_ms()) THEN {state.ready} ELSE {state.scheduled} END)::smallint
FROM {schema}.waiting WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, {state.running}::smallint FROM {schema}.running WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, state FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, state FROM {schema}.history WHERE id = ANY($1::bigint[])

-- name: unique_find
SELECT job FROM {schema}.uniques WHERE namespace = $1::integer AND key = $2::bytea FOR UPDATE

-- name: unique_holders
SELECT q.namespace, q.key, q.job
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, key) JOIN {schema}.uniques q ON q.namespace = u.namespace AND q.key = u.key

-- name: unique_put
INSERT INTO {schema}.uniques (namespace, key, job)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job) ORDER BY namespace, key
ON CONFLICT (namespace, key) DO NOTHING

-- name: unique_release
DELETE FROM {schema}.uniques q USING unnest($1::integer[], $2::bytea[], $3::bigint[]) AS u (namespace, key, job)
WHERE q.namespace = u.namespace AND q.key = u.key AND q.job = u.job

-- name: watch
-- Other jobs wait for these: their end is looked at. The caller holds their rows.
WITH still AS (
  UPDATE {schema}.waiting SET flags = flags | {flag.watched}, special = true WHERE id = ANY($1::bigint[])
)
UPDATE {schema}.running SET flags = flags | {flag.watched}, special = true WHERE id = ANY($1::bigint[])
