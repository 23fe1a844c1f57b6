-- To history, or among the dead.
WITH asked AS (
  SELECT *
  FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
              $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[],
              $17::text[], $18::text[], $19::text[], $20::bytea[], $21::smallint[], $22::smallint[], $23::bigint[], $24::bytea[])
       AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
             spec, payload, error, attempts, progress, partial, event, state, finished_at, result)
), buried AS (
  INSERT INTO {schema}.dead (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority,
                             event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial)
  SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority, event, lease_ms,
         timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial
  FROM asked WHERE state = 4
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority,
                              event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial)
SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority, event, lease_ms,
       timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial
FROM asked WHERE state <> 4
