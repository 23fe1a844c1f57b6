-- Leases of these workers that are over stay so when the worker is seen again.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = greatest(r.lease_until, b.seen_at + r.granted_ms)
FROM {schema}.beats b
WHERE b.worker = r.worker AND r.worker = ANY($1::integer[]) AND NOT r.lapsed
  AND greatest(r.lease_until, b.seen_at + r.granted_ms) <= {schema}.now_ms()
