-- Which of the leases that workers believe to hold are theirs, before their beat is noted.
SELECT h.ord
FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS h (namespace, name, job, fence, ord)
JOIN {schema}.workers w ON w.namespace = h.namespace AND w.name = h.name
JOIN {schema}.running r ON r.id = h.job AND r.fence = h.fence AND r.worker = w.id
LEFT JOIN {schema}.beats b ON b.worker = w.id
WHERE CASE WHEN r.lapsed THEN r.lease_until
           ELSE greatest(r.lease_until, coalesce(b.seen_at, (SELECT {schema}.now_ms())) + r.granted_ms) END > (SELECT {schema}.now_ms())
