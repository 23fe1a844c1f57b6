-- Leases that are over: those of a length of their own, by their own end unless a beat moved it; the others are over with their workers'
-- silence. A worker without a beat was forgotten by a crash of the database, which is not silence.
SELECT e.id
FROM (
  (SELECT r.id, CASE WHEN r.lapsed THEN r.lease_until
                     ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END AS ends
   FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
   WHERE r.own_ttl AND r.lease_until <= (SELECT {schema}.now_ms()))
  UNION ALL
  (SELECT l.id, l.ends
   FROM {schema}.beats b
   JOIN {schema}.workers w ON w.id = b.worker AND w.state < 2 AND b.seen_at + w.dead_after_ms <= (SELECT {schema}.now_ms())
   CROSS JOIN LATERAL (SELECT r.id, greatest(r.lease_until, b.seen_at + r.granted_ms) AS ends FROM {schema}.running r
                       WHERE r.worker = b.worker AND NOT r.own_ttl OFFSET 0) AS l)
) AS e
WHERE e.ends <= (SELECT {schema}.now_ms())
ORDER BY e.ends, e.id
LIMIT $1::bigint
