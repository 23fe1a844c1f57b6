-- Jobs by their keys, whole. Columns as row.h says.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.attempt, j.rescues, j.fence, w.name, j.started_at,
       j.finished_at, j.expires_at,
       CASE WHEN j.lapsed THEN j.lease_until ELSE greatest(j.lease_until, coalesce(b.seen_at, $2::bigint) + j.granted_ms) END,
       j.spec, j.payload, j.result, j.error, j.event, j.attempts, j.progress, j.partial, wishes.pending
FROM {schema}.jobs j
LEFT JOIN {schema}.workers w ON w.id = j.worker
LEFT JOIN {schema}.beats b ON b.worker = j.worker
LEFT JOIN {schema}.wishes ON wishes.job = j.id
WHERE j.id = ANY($1::bigint[])
