INSERT INTO jobs (id, lane, state, flags, priority, rank, run_at, created_at, expires_at, spec, payload)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
