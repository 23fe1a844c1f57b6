-- The steps of these runs that wait, $2 of each at most, the oldest first. Columns as step_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[]) AS u (job)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.state = 1 ORDER BY s.place LIMIT $2::bigint) AS s
ORDER BY s.job, s.place
