INSERT INTO jobs (id, lane, state, flags, priority, rank, run_at, created_at, event, attempt, rescues, fence, worker, started_at,
  finished_at, expires_at, lease, cancel_reason, spec, payload, result, error)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
