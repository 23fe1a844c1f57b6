-- A worker without a beat was forgotten by a crash of the database, which is not silence.
SELECT r.id, r.lane, r.rank, r.run_at, r.expires_at, r.started_at, r.times_out_at, r.attempt, r.rescues, r.fence, r.worker,
       CASE WHEN r.lapsed THEN r.lease_until
            ELSE greatest(r.lease_until, coalesce(b.seen_at, {schema}.now_ms()) + r.granted_ms) END,
       r.flags, r.priority, r.special, r.spec, r.attempts, r.cancel_reason
FROM {schema}.running r LEFT JOIN {schema}.beats b ON b.worker = r.worker
WHERE r.id = ANY($1::bigint[]) ORDER BY r.id FOR UPDATE OF r
