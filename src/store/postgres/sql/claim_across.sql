-- As claim.sql, for workers that may serve many lanes: along the order of all ready jobs instead of lane by lane. What lies too far behind
-- jobs of other lanes is not found this way; `whole` says whether everything was looked at. Never more rows than slots: each deleted row has a seat, a place in the arrays of `seats`. One row for each worker that asked comes
-- back (ord, session, state, fresh, free slots, whole), then one for each job given (worker and the grant).
WITH asked AS MATERIALIZED (
  SELECT a.ord, a.worker, a.want, coalesce(a.lease_ms, -1) AS lease_ms, w.session, w.state, w.dead_after_ms, w.revision = a.revision AS fresh,
         w.slots - (SELECT count(*) FROM {schema}.running r WHERE r.worker = a.worker) AS free
  FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::bigint[]) WITH ORDINALITY AS a (worker, revision, want, lease_ms, ord)
  JOIN {schema}.workers w ON w.id = a.worker
), seats AS MATERIALIZED (
  SELECT count(*) AS n, array_agg(s.worker) AS workers, array_agg(s.lease_ms) AS leases, array_agg(s.dead_after_ms) AS patience
  FROM (
    SELECT worker, lease_ms, dead_after_ms FROM asked CROSS JOIN LATERAL generate_series(1, least(want, free)) AS n
    WHERE fresh AND state = 0 ORDER BY ord) AS s
), bound AS MATERIALIZED (
  -- No further than this, however many jobs of other lanes are in the way. $7: there are no other lanes.
  SELECT w.rank, w.id FROM {schema}.waiting w WHERE w.place = 1 AND w.stand > 0 AND NOT $7::boolean
  ORDER BY w.rank, w.id OFFSET (SELECT 8 * n + 256 FROM seats) LIMIT 1
), picked AS MATERIALIZED (
  SELECT w.id, w.rank, octet_length(w.payload) AS size
  FROM {schema}.waiting w
  WHERE w.place = 1 AND w.stand > 0
    -- The sum keeps the planner from going lane by lane and sorting, which is what this statement is there to avoid.
    AND w.stand + 0 = ANY(ARRAY(SELECT l.id FROM {schema}.lanes l JOIN {schema}.queues q ON q.id = l.queue
                            WHERE l.id = ANY($5::integer[]) AND NOT q.gated AND NOT l.special))
    AND (w.rank, w.id) <= (coalesce((SELECT rank FROM bound), 9223372036854775807), coalesce((SELECT id FROM bound), 9223372036854775807))
  ORDER BY w.rank, w.id LIMIT (SELECT n FROM seats) FOR UPDATE SKIP LOCKED
), chosen AS (
  SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY rank, id) - size AS before FROM picked) AS sized WHERE before < $6::bigint
), popped AS (
  DELETE FROM {schema}.waiting w WHERE w.id = ANY(ARRAY(SELECT id FROM chosen)) RETURNING w.*
), given AS (
  INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues,
                                flags, priority, special, own_ttl, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload, error,
                                attempts, progress, partial)
  SELECT g.id, g.rank, g.created_at, g.run_at, nextval('{schema}.fences'), g.now, g.now + g.ttl, g.ttl, g.lane, g.worker, g.attempt + 1,
         g.rescues, g.flags, g.priority, g.special, g.ttl <> g.patience, g.lease_ms, g.timeout_ms, g.now + g.timeout_ms, g.expires_at, g.spec,
         g.payload, g.error, g.attempts, g.progress, g.partial
  FROM (
    SELECT p.*, t.now, s.workers[p.seat] AS worker, s.patience[p.seat] AS patience,
           coalesce(nullif(s.leases[p.seat], -1), p.lease_ms, s.patience[p.seat]) AS ttl
    FROM (
      SELECT id, rank, created_at, run_at, lane, attempt, rescues, flags, priority, special, lease_ms, timeout_ms, expires_at, spec, payload,
             error, attempts, progress, partial, row_number() OVER (ORDER BY rank, id) AS seat
      FROM popped) AS p
    CROSS JOIN seats s
    CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t) AS g
  RETURNING id, lane, worker, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress, partial
)
SELECT ord, session, state, fresh, free, NULL::integer AS worker, NULL::bigint AS id, (NOT EXISTS (SELECT 1 FROM bound))::integer, NULL::integer, NULL::smallint, NULL::bigint,
       NULL::bigint, NULL::bigint, NULL::smallint, NULL::text, NULL::bytea, NULL::text, NULL::bytea
FROM asked
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, worker, id, lane, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress,
       partial
FROM given
