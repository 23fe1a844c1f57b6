UPDATE {schema}.actions a
SET settled_at = coalesce(o.last_finished_at, $2::bigint), completed = a.completed + o.completed, failed = a.failed + o.failed,
    dead = a.dead + o.dead, cancelled = a.cancelled + o.cancelled
FROM {schema}.actions b CROSS JOIN LATERAL {schema}.action_outcomes(b.job_keys, b.created_at) AS o
WHERE b.id = ANY($1::bigint[]) AND a.id = b.id AND o.waiting + o.running = 0
RETURNING a.id
