SELECT id, lane, state, flags, priority, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at, spec,
  payload, result, error, expires_at
FROM jobs WHERE id = ?1
