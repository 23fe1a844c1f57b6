-- Their leases begin when everything is in (transfer_leases.sql).
INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues, flags,
                              priority, special, own_ttl, lapsed, counted, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload,
                              error, attempts, progress, partial, cancel_reason)
SELECT u.id, u.rank, u.created_at, u.run_at, u.fence, u.started_at, {schema}.now_ms(), u.granted_ms, u.lane, u.worker, u.attempt, u.rescues,
       u.flags, u.priority, u.special, u.own_ttl, u.lapsed, u.counted, u.lease_ms, u.timeout_ms, u.started_at + u.timeout_ms, u.expires_at,
       u.spec, u.payload, u.error, u.attempts, u.progress, u.partial, u.cancel_reason
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
            $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[], $17::text[],
            $18::text[], $19::text[], $20::bytea[], $21::bigint[], $22::bigint[], $23::boolean[], $24::boolean[], $25::boolean[],
            $26::boolean[], $27::bytea[])
     AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
           spec, payload, error, attempts, progress, partial, rank, granted_ms, lapsed, own_ttl, counted, special, cancel_reason)
