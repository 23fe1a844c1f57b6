-- What the memory index is rebuilt from.
SELECT id, lane, state, flags, priority, rank, run_at, created_at, event, attempt, rescues, fence, worker, started_at, spec, expires_at, lease
FROM jobs WHERE id >= ?1 AND state < 3 ORDER BY id
