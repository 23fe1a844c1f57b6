INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special, lease_ms,
                              timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress, partial)
SELECT u.id, u.rank, u.created_at, u.run_at, u.lane, u.lane, u.attempt, u.rescues, u.place, u.flags, u.priority, u.event, u.special,
       u.lease_ms, u.timeout_ms, u.expires_at, u.fence, u.started_at, u.worker, u.spec, u.payload, u.error, u.attempts, u.progress, u.partial
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
            $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[], $17::text[],
            $18::text[], $19::text[], $20::bytea[], $21::smallint[], $22::bigint[], $23::smallint[], $24::boolean[])
     AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
           spec, payload, error, attempts, progress, partial, event, rank, place, special)
