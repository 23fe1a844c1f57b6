SELECT attempt, fence, worker, started_at, ended_at, outcome, error FROM attempts WHERE job = ?1 ORDER BY id
