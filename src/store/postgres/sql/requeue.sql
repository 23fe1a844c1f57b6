-- From running back to waiting. One whose time to wait ended while it ran (flag 1024) expires at once. A NULL error or list of attempts keeps what is there.
WITH gone AS (
  DELETE FROM {schema}.running r
  USING unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[], $7::integer[],
               $8::smallint[], $9::text[], $10::text[])
        AS u (id, place, stand, rank, run_at, attempt, rescues, event, error, attempts)
  WHERE r.id = u.id
  RETURNING r.id, u.rank, r.created_at, u.run_at, r.lane, u.stand, u.attempt, u.rescues, u.place, r.flags & ~1024, r.priority, u.event,
            r.special, r.lease_ms, r.timeout_ms,
            CASE WHEN r.flags & 1024 <> 0 THEN {schema}.now_ms() ELSE r.expires_at END, r.fence, r.started_at, r.worker, r.spec, r.payload,
            coalesce(u.error, r.error) AS error, coalesce(u.attempts, r.attempts) AS attempts, r.progress, r.partial
)
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                              lease_ms, timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress,
                              partial)
SELECT * FROM gone
