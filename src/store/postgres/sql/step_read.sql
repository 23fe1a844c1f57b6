SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output
FROM {schema}.steps s WHERE s.job = $1::bigint AND s.place = $2::integer
