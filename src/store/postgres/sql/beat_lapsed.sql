-- As beat_lapse.sql, for leases whose end was read before the worker was seen again. own_ttl: the sweep finds them by their own end now.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true, lease_until = u.lease_until
FROM unnest($1::bigint[], $2::bigint[]) AS u (id, lease_until)
WHERE r.id = u.id AND NOT r.lapsed
