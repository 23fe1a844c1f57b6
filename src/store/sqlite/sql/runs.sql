-- name: signal_count
SELECT COUNT(*), COALESCE(MAX(place), 0) FROM signals WHERE job = ?1

-- name: signal_delete
DELETE FROM signals WHERE job = ?1

-- name: signal_insert
INSERT INTO signals (job, place, name, encoding, data) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: signal_oldest
SELECT place, encoding, data FROM signals WHERE job = ?1 AND name = ?2 ORDER BY place LIMIT 1

-- name: signal_take
DELETE FROM signals WHERE job = ?1 AND place = ?2

-- name: step_asleep
-- The newest sleep that is running.
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND kind = {kind.sleep} AND state = {step.running} ORDER BY place DESC LIMIT 1

-- name: step_delete
DELETE FROM steps WHERE job = ?1

-- name: step_insert
INSERT INTO steps (job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)

-- name: step_last
SELECT COALESCE(MAX(place), 0) FROM steps WHERE job = ?1

-- name: step_list
-- The attempts of a run behind place ?2, oldest first; ?3: only those of this name.
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND place > ?2 AND (?3 IS NULL OR name = ?3) ORDER BY place LIMIT ?4

-- name: step_newest
-- The columns of every statement that reads steps, in the order of read_step().
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND name = ?2 ORDER BY place DESC LIMIT 1

-- name: step_parked_on
-- What a parked run waits for: steps that wait, and those that failed and are tried again at ?2.
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND (state = {step.waiting} OR (state = {step.failed} AND until = ?2)) ORDER BY place LIMIT ?3

-- name: step_read
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND place = ?2

-- name: step_update
-- What changes after an attempt began.
UPDATE steps SET kind = ?3, state = ?4, encodings = ?5, finished_at = ?6, until = ?7, child = ?8, signal = ?9, error = ?10, output = ?11
WHERE job = ?1 AND place = ?2

-- name: step_waiting
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND state = {step.waiting} ORDER BY place
