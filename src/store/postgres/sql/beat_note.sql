-- One heartbeat of many workers. A beat writes one unlogged row and no lock on the worker's own row, so it costs no log. What it answers
-- is read as it was before: leases that are over at this instant come back with their ends and are marked by the caller
-- (beat_lapsed.sql). The description comes along only for those that know another revision.
WITH known AS MATERIALIZED (
  SELECT a.ord, a.stats AS told, w.id, w.state, w.session, w.revision, w.offline_cause, w.drain_deadline, w.drain_reason,
         w.state < 2 AND (a.session IS NULL OR a.session = w.session) AS valid,
         CASE WHEN w.revision <> a.revision THEN w.spec END AS spec
  FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bytea[], $5::bigint[]) WITH ORDINALITY
       AS a (namespace, name, session, stats, revision, ord)
  JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name
), heard AS (
  INSERT INTO {schema}.beats AS b (worker, seen_at, node, stats)
  SELECT DISTINCT ON (k.id) k.id, (SELECT {schema}.now_ms()), $6::text, k.told FROM known k WHERE k.valid ORDER BY k.id, k.told = '', k.ord DESC
  ON CONFLICT (worker) DO UPDATE
  SET seen_at = greatest(b.seen_at, excluded.seen_at), node = excluded.node,
      stats = CASE WHEN excluded.stats = '' THEN b.stats ELSE excluded.stats END
)
SELECT k.ord, k.id, k.state, k.session, k.revision, k.offline_cause, k.drain_deadline, k.drain_reason, k.spec, coalesce(j.running, 0),
       j.cancelling, j.lapsing
FROM known k
LEFT JOIN LATERAL (
  SELECT count(*) AS running,
         string_agg(l.id || ':' || l.fence, ' ' ORDER BY l.id) FILTER (WHERE l.flags & 16 <> 0 AND l.ends > (SELECT {schema}.now_ms())) AS cancelling,
         string_agg(l.id || ':' || l.ends, ' ' ORDER BY l.id) FILTER (WHERE NOT l.lapsed AND l.ends <= (SELECT {schema}.now_ms())) AS lapsing
  FROM (SELECT r.id, r.fence, r.flags, r.lapsed,
               CASE WHEN r.lapsed THEN r.lease_until
                    ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END AS ends
        FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
        WHERE r.worker = k.id OFFSET 0) AS l) AS j ON k.valid
