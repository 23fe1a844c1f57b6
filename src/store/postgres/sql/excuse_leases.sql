-- The same for leases of a length of their own, and for time-outs: an outcome may be on its way.
WITH late AS (
  SELECT r.id FROM {schema}.running r
  WHERE (r.own_ttl AND NOT r.lapsed AND r.lease_until < {schema}.now_ms() + r.granted_ms / 3) OR r.times_out_at < {schema}.now_ms() + $1::bigint
  ORDER BY r.id FOR UPDATE
)
UPDATE {schema}.running r
SET lease_until = CASE WHEN r.own_ttl AND NOT r.lapsed THEN greatest(r.lease_until, {schema}.now_ms() + r.granted_ms / 3) ELSE r.lease_until END,
    times_out_at = CASE WHEN r.times_out_at IS NOT NULL THEN greatest(r.times_out_at, {schema}.now_ms() + $1::bigint) END
FROM late WHERE r.id = late.id
