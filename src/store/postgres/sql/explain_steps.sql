-- What a parked run waits for: steps that wait, and those that failed and are tried again at $2. Columns as step_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM {schema}.steps s
WHERE s.job = $1::bigint AND (s.state = 1 OR (s.state = 3 AND s.until = $2::bigint)) ORDER BY s.place LIMIT $3::bigint
