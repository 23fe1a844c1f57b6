-- Claims of several workers that may serve the same plain lanes: the best jobs by (rank, arrival) go to their free slots in the order of the
-- claims. Never more rows than slots: each deleted row has a seat. One row per claim comes back at least, to say why it got nothing.
WITH asked AS MATERIALIZED (
  SELECT a.ord, a.worker, a.want, a.lease_ms, w.session, w.state, w.slots, w.dead_after_ms, w.revision = a.revision AS fresh,
         (SELECT count(*) FROM {schema}.running r WHERE r.worker = a.worker) AS busy
  FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::bigint[]) WITH ORDINALITY AS a (worker, revision, want, lease_ms, ord)
  JOIN {schema}.workers w ON w.id = a.worker
), seats AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY ord, n) AS seat, worker, lease_ms, dead_after_ms
  FROM asked CROSS JOIN LATERAL generate_series(1, least(want, slots - busy)) AS n
  WHERE fresh AND state = 0
), wanted AS MATERIALIZED (
  SELECT count(*) AS n FROM seats
), heads AS MATERIALIZED (
  SELECT h.stand, count(*) AS n
  FROM (
    SELECT c.stand
    FROM {schema}.lanes l
    JOIN {schema}.queues q ON q.id = l.queue
    CROSS JOIN LATERAL (
      SELECT w.stand, w.rank, w.id FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = 1
      ORDER BY w.rank, w.id LIMIT (SELECT n FROM wanted)) AS c
    WHERE l.id = ANY($5::integer[]) AND NOT q.gated AND NOT l.special
    ORDER BY c.rank, c.id LIMIT (SELECT n FROM wanted)) AS h
  GROUP BY h.stand
), picked AS MATERIALIZED (
  SELECT p.id, p.rank, p.size
  FROM heads CROSS JOIN LATERAL (
    SELECT w.id, w.rank, octet_length(w.payload) AS size FROM {schema}.waiting w WHERE w.stand = heads.stand AND w.place = 1
    ORDER BY w.rank, w.id LIMIT heads.n FOR UPDATE SKIP LOCKED) AS p
), chosen AS (
  SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY rank, id) - size AS before FROM picked) AS sized WHERE before < $6::bigint
), popped AS (
  DELETE FROM {schema}.waiting w WHERE w.id = ANY(ARRAY(SELECT id FROM chosen)) RETURNING w.*
), given AS (
  INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues,
                                flags, priority, special, own_ttl, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload, error,
                                attempts, progress, partial)
  SELECT p.id, p.rank, p.created_at, p.run_at, nextval('{schema}.fences'), t.now,
         t.now + coalesce(s.lease_ms, p.lease_ms, s.dead_after_ms), coalesce(s.lease_ms, p.lease_ms, s.dead_after_ms), p.lane, s.worker,
         p.attempt + 1, p.rescues, p.flags, p.priority, p.special, coalesce(s.lease_ms, p.lease_ms, s.dead_after_ms) <> s.dead_after_ms,
         p.lease_ms, p.timeout_ms, t.now + p.timeout_ms, p.expires_at, p.spec, p.payload, p.error, p.attempts, p.progress, p.partial
  FROM (SELECT *, row_number() OVER (ORDER BY rank, id) AS seat FROM popped) AS p
  JOIN seats s ON s.seat = p.seat
  CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
  RETURNING id, rank, lane, worker, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress, partial
)
SELECT a.ord, a.session, a.state, a.fresh, a.slots - a.busy, (SELECT n FROM wanted), g.id, g.lane, g.attempt, g.priority, g.fence,
       g.lease_until, g.times_out_at, g.flags, g.spec, g.payload, g.progress, g.partial
FROM asked a LEFT JOIN given g ON g.worker = a.worker
ORDER BY a.ord, g.rank, g.id
