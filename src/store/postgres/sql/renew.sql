UPDATE {schema}.running r
SET lease_until = u.lease_until, granted_ms = coalesce(u.granted_ms, r.granted_ms), own_ttl = r.own_ttl OR u.own_ttl
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) AS u (id, lease_until, granted_ms, own_ttl)
WHERE r.id = u.id
