INSERT INTO attempts (job, attempt, fence, worker, started_at, ended_at, outcome, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
