-- The newest attempt of each of these steps. Columns as step_rows.h says.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM unnest($1::bigint[], $2::bytea[]) AS u (job, name)
CROSS JOIN LATERAL (SELECT * FROM {schema}.steps s WHERE s.job = u.job AND s.name = u.name ORDER BY s.place DESC LIMIT 1) AS s
