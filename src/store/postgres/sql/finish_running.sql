-- To history, or among the dead. A NULL error or list of attempts keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::integer[], $5::smallint[], $6::bytea[], $7::text[], $8::text[])
        AS u (id, state, event, attempt, flags, result, error, attempts)
  WHERE r.id = u.id
  RETURNING r.id, {schema}.now_ms() AS finished_at, r.created_at, r.run_at, r.fence, r.started_at, r.lane, r.worker, u.attempt,
            r.rescues, u.state, u.flags, r.priority, u.event, r.lease_ms, r.timeout_ms, r.expires_at, r.spec, r.payload, u.result,
            coalesce(u.error, r.error) AS error, coalesce(u.attempts, r.attempts) AS attempts, r.progress, r.partial
), buried AS (
  INSERT INTO {schema}.dead (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                             priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                             partial)
  SELECT * FROM gone WHERE state = 4
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                              priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                              partial)
SELECT * FROM gone WHERE state <> 4
