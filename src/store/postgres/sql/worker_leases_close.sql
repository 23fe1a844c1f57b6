-- Leases of these workers are over at the time they have now; no beat counts for them any more.
WITH held AS (
  SELECT r.id, greatest(r.lease_until, b.seen_at + r.granted_ms) AS ends
  FROM {schema}.running r JOIN {schema}.beats b ON b.worker = r.worker
  WHERE r.worker = ANY($1::integer[]) AND NOT r.lapsed
  ORDER BY r.id FOR UPDATE OF r
)
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = held.ends
FROM held WHERE r.id = held.id
