-- To history, or among the dead, without having run again. A NULL error keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.waiting w
  USING unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[]) AS u (id, state, event, error)
  WHERE w.id = u.id
  RETURNING w.id, {schema}.now_ms() AS finished_at, w.created_at, w.run_at, w.fence, w.started_at, w.lane, w.worker, w.attempt,
            w.rescues, u.state, w.flags, w.priority, u.event, w.lease_ms, w.timeout_ms, w.expires_at, w.spec, w.payload,
            NULL::bytea AS result, coalesce(u.error, w.error) AS error, w.attempts, w.progress, w.partial
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
