-- Out of the finished set, as new: no attempts, no rescues.
WITH risen AS (
  DELETE FROM {schema}.dead d WHERE d.id = $1::bigint
  RETURNING d.id, d.created_at, d.lane, d.flags, d.priority, d.lease_ms, d.timeout_ms, d.fence, d.started_at, d.worker, d.spec, d.payload,
            d.error, d.attempts, d.progress, d.partial
), recalled AS (
  DELETE FROM {schema}.history h WHERE h.id = $1::bigint
  RETURNING h.id, h.created_at, h.lane, h.flags, h.priority, h.lease_ms, h.timeout_ms, h.fence, h.started_at, h.worker, h.spec, h.payload,
            h.error, h.attempts, h.progress, h.partial
)
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                              lease_ms, timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress,
                              partial)
SELECT id, $2::bigint, created_at, $3::bigint, lane, lane, 0, 0, 1, flags & $7::smallint, priority, $4::smallint, $5::boolean, lease_ms, timeout_ms,
       $6::bigint, fence, started_at, worker, spec, payload, error, attempts, progress, partial
FROM (SELECT * FROM risen UNION ALL SELECT * FROM recalled) AS back
RETURNING id
