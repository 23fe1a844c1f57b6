-- Who holds these jobs, and under which lease, as far as one can see without locking.
SELECT r.id, r.fence, r.worker,
       CASE WHEN r.lapsed THEN r.lease_until
            ELSE greatest(r.lease_until, coalesce(b.seen_at, {schema}.now_ms()) + r.granted_ms) END
FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
WHERE r.id = ANY($1::bigint[])
