-- The store's own tables. $1 ids.
WITH done AS (DELETE FROM running WHERE id = ANY ($1::bigint[]) RETURNING *)
INSERT INTO history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority,
                     event, payload)
SELECT id, at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, 3, flags, priority, 0, payload
FROM done, (SELECT now_ms() AS at OFFSET 0) clock
