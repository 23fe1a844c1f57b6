-- Attempts of a run behind the place $2, the oldest first, at most $4 of them; $3: of this step only. Columns as step_rows.h says, then the
-- bytes of contents up to here.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output,
       sum(coalesce(octet_length(s.input), 0) + coalesce(octet_length(s.output), 0)) OVER (ORDER BY s.place)
FROM (SELECT * FROM {schema}.steps WHERE job = $1::bigint AND place > $2::integer AND ($3::bytea IS NULL OR name = $3::bytea)
      ORDER BY place LIMIT $4::bigint) AS s
ORDER BY s.place
