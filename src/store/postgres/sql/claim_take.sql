-- Jobs that were looked at one by one go to their worker.
WITH popped AS (
  DELETE FROM {schema}.waiting w WHERE w.id = ANY($1::bigint[]) RETURNING w.*
)
INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues,
                              flags, priority, special, own_ttl, counted, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload,
                              error, attempts, progress, partial)
SELECT p.id, p.rank, p.created_at, p.run_at, nextval('{schema}.fences'), t.now, t.now + p.ttl, p.ttl, p.lane, $2::integer, p.attempt + 1,
       p.rescues, p.flags, p.priority, p.special, p.ttl <> $4::bigint, p.lane = ANY($5::integer[]), p.lease_ms, p.timeout_ms,
       t.now + p.timeout_ms, p.expires_at, p.spec, p.payload, p.error, p.attempts, p.progress, p.partial
FROM (SELECT *, coalesce($3::bigint, lease_ms, $4::bigint) AS ttl FROM popped ORDER BY rank, id) AS p
CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
RETURNING id, lane, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress, partial
