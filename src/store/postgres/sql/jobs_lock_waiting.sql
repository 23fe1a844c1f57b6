SELECT id, place, lane, stand, rank, run_at, expires_at, started_at, attempt, rescues, fence, worker, flags, priority, special, spec,
       attempts, event
FROM {schema}.waiting WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE
