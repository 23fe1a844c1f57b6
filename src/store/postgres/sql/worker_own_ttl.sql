-- The silence that ends these workers' leases is another one now: leases of the old length end by themselves.
UPDATE {schema}.running r SET own_ttl = true
FROM unnest($1::integer[], $2::bigint[]) AS u (worker, dead_after_ms)
WHERE r.worker = u.worker AND NOT r.own_ttl AND r.granted_ms <> u.dead_after_ms
