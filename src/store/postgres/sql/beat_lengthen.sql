-- Leases of a length of their own that a beat lengthens, behind beat_lapsed.sql: those that were over before it are marked.
WITH held AS (
  SELECT r.id, u.adds, u.ahead
  FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u (namespace, name, session, adds, ahead)
  JOIN {schema}.workers w ON w.namespace = u.namespace AND w.name = u.name AND w.state < 2 AND (u.session IS NULL OR u.session = w.session)
  JOIN {schema}.running r ON r.worker = w.id AND r.own_ttl AND NOT r.lapsed
  ORDER BY r.id FOR UPDATE OF r
)
UPDATE {schema}.running r
SET lease_until = greatest(r.lease_until, least(r.lease_until + held.adds, {schema}.now_ms() + held.ahead))
FROM held WHERE r.id = held.id
