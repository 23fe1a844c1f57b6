-- The newest step of each run that is a sleep and runs. Columns as step_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[]) AS u (job)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.kind = 1 AND s.state = 0 ORDER BY s.place DESC LIMIT 1) AS s
