-- name: runs_ended
-- Finished jobs among these; with what came of them for those in $2.
SELECT id, state, flags, CASE WHEN id = ANY($2::bigint[]) THEN result END, CASE WHEN id = ANY($2::bigint[]) THEN error END, lane
FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, flags, CASE WHEN id = ANY($2::bigint[]) THEN result END, CASE WHEN id = ANY($2::bigint[]) THEN error END, lane
FROM {schema}.history WHERE id = ANY($1::bigint[])

-- name: runs_held
-- Who holds these jobs, and under which lease, as far as one can see without locking.
SELECT r.id, r.fence, r.worker,
       CASE WHEN r.lapsed THEN r.lease_until
            ELSE greatest(r.lease_until, coalesce(b.seen_at, {schema}.now_ms()) + r.granted_ms) END
FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
WHERE r.id = ANY($1::bigint[])

-- name: signals_count
-- How many signals each of these runs keeps, and the place of the last.
SELECT u.job, count(s.place), coalesce(max(s.place), 0)
FROM unnest($1::bigint[]) AS u (job) LEFT JOIN {schema}.signals s ON s.job = u.job
GROUP BY u.job

-- name: signals_oldest
-- The oldest signals of these names, as many of each as are asked for.
SELECT s.job, s.place, s.flags, s.name, s.data
FROM unnest($1::bigint[], $2::bytea[], $3::integer[]) AS u (job, name, n)
CROSS JOIN LATERAL (SELECT * FROM {schema}.signals s WHERE s.job = u.job AND s.name = u.name ORDER BY s.place LIMIT u.n) AS s
ORDER BY s.job, s.place

-- name: signals_put
INSERT INTO {schema}.signals (job, place, flags, name, data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::bytea[], $5::bytea[])

-- name: signals_take
DELETE FROM {schema}.signals s USING unnest($1::bigint[], $2::bigint[]) AS u (job, place) WHERE s.job = u.job AND s.place = u.place

-- name: step_read
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM {schema}.steps s WHERE s.job = $1::bigint AND s.place = $2::integer

-- name: steps_asleep
-- The newest step of each run that is a sleep and runs. Columns as read_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[]) AS u (job)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.kind = {kind.sleep} AND s.state = {step.running} ORDER BY s.place DESC LIMIT 1) AS s

-- name: steps_change
-- What of an attempt changes after it began.
UPDATE {schema}.steps s
SET kind = u.kind, state = u.state, flags = u.flags, finished_at = u.finished_at, until = u.until, child = u.child, signal = u.signal,
    error = u.error, output = u.output
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bytea[], $10::text[], $11::bytea[])
     AS u (job, place, kind, state, flags, finished_at, until, child, signal, error, output)
WHERE s.job = u.job AND s.place = u.place

-- name: steps_count
-- How many attempts each of these runs has.
SELECT u.job, coalesce((SELECT max(s.place) FROM {schema}.steps s WHERE s.job = u.job), 0)
FROM unnest($1::bigint[]) AS u (job)

-- name: steps_latest
-- The newest attempt of each of these steps. Columns as read_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[], $2::bytea[]) AS u (job, name)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.name = u.name ORDER BY s.place DESC LIMIT 1) AS s

-- name: steps_page
-- Attempts of a run behind the place $2, the oldest first, at most $4 of them; $3: of this step only. Columns as read_rows.h says, then the
-- bytes of contents up to here.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output,
       sum(coalesce(octet_length(s.input), 0) + coalesce(octet_length(s.output), 0)) OVER (ORDER BY s.place)
FROM (SELECT * FROM {schema}.steps WHERE job = $1::bigint AND place > $2::integer AND ($3::bytea IS NULL OR name = $3::bytea)
      ORDER BY place LIMIT $4::bigint) AS s
ORDER BY s.place

-- name: steps_put
INSERT INTO {schema}.steps (job, place, attempt, kind, state, flags, begun_at, finished_at, until, fence, child, worker, name, signal, policy,
                            error, input, output)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::smallint[], $5::smallint[], $6::smallint[], $7::bigint[], $8::bigint[],
                     $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bytea[], $14::bytea[], $15::text[], $16::text[],
                     $17::bytea[], $18::bytea[])

-- name: steps_waiting
-- The steps of these runs that wait, $2 of each at most, the oldest first. Columns as read_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[]) AS u (job)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.state = {step.waiting} ORDER BY s.place LIMIT $2::bigint) AS s
ORDER BY s.job, s.place
