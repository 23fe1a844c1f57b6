-- Plain running jobs whose lease holds. Those that do not come back are looked at one by one.
WITH done AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::smallint[]) AS u (id, fence, result, flags)
  WHERE r.id = u.id AND r.fence = u.fence AND NOT r.special
    AND (r.lease_until > {schema}.now_ms()
         OR (NOT r.lapsed AND EXISTS (SELECT 1 FROM {schema}.beats b
                                      WHERE b.worker = r.worker AND b.seen_at + r.granted_ms > {schema}.now_ms())))
  RETURNING r.id, {schema}.now_ms() AS finished_at, r.created_at, r.run_at, r.fence, r.started_at, r.lane, r.worker, r.attempt, r.rescues,
            r.flags | u.flags AS flags, r.priority, r.lease_ms, r.timeout_ms, r.expires_at, r.spec, r.payload, u.result, r.error,
            r.attempts, r.progress, r.partial
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                              priority, event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress,
                              partial)
SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, 3, flags, priority, 3, lease_ms, timeout_ms,
       expires_at, spec, payload, result, error, attempts, progress, partial
FROM done
RETURNING id, lane, worker, attempt, fence, flags, CASE WHEN flags & 256 <> 0 THEN spec END
