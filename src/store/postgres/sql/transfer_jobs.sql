-- The next jobs by their keys, wherever they are, until their contents pass $3 bytes. First how far that is, by the sizes alone; then the rows.
-- The fixed number (kCopyBatchMax) tells the planner that it is about few rows: it walks the primary keys side by side.
WITH sized AS MATERIALIZED (
  SELECT s.id, sum(s.size) OVER (ORDER BY s.id) - s.size AS before
  FROM (
    (SELECT id, octet_length(payload) AS size FROM {schema}.waiting WHERE id > $1::bigint ORDER BY id LIMIT 5000)
    UNION ALL (SELECT id, octet_length(payload) FROM {schema}.running WHERE id > $1::bigint ORDER BY id LIMIT 5000)
    UNION ALL (SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) FROM {schema}.dead WHERE id > $1::bigint
               ORDER BY id LIMIT 5000)
    UNION ALL (SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) FROM {schema}.history WHERE id > $1::bigint
               ORDER BY id LIMIT 5000)
    ORDER BY id LIMIT $2::bigint
  ) AS s
), bound AS MATERIALIZED (
  SELECT coalesce(max(id), 0) AS id FROM sized WHERE before < $3::bigint
)
SELECT j.id, n.name, q.name, l.type, j.state, j.flags, j.priority, j.rank, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence,
       w.name, j.started_at, j.finished_at, j.expires_at, j.granted_ms, j.cancel_reason, j.spec, j.payload, j.result, j.error, j.attempts,
       j.progress, j.partial
FROM (
  SELECT id, lane, (CASE WHEN place IN (1, 2) THEN 1 ELSE 0 END)::smallint AS state, flags, priority, rank, run_at, created_at, event, attempt,
         rescues, fence, worker, started_at, NULL::bigint AS finished_at, expires_at, NULL::bigint AS granted_ms,
         NULL::bytea AS cancel_reason, spec, payload, NULL::bytea AS result, error, attempts, progress, partial
  FROM {schema}.waiting WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, 2::smallint, flags, priority, rank, run_at, created_at, 2::smallint, attempt, rescues, fence, worker, started_at,
         NULL::bigint, expires_at, CASE WHEN NOT lapsed THEN granted_ms END, cancel_reason, spec, payload, NULL::bytea, error, attempts,
         progress, partial
  FROM {schema}.running WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, state, flags, priority, NULL::bigint, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at,
         expires_at, NULL::bigint, NULL::bytea, spec, payload, result, error, attempts, progress, partial
  FROM {schema}.dead WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, state, flags, priority, NULL::bigint, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at,
         expires_at, NULL::bigint, NULL::bytea, spec, payload, result, error, attempts, progress, partial
  FROM {schema}.history WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
) AS j
LEFT JOIN {schema}.lanes l ON l.id = j.lane
LEFT JOIN {schema}.queues q ON q.id = l.queue
LEFT JOIN {schema}.namespaces n ON n.id = q.namespace
LEFT JOIN {schema}.workers w ON w.id = j.worker
ORDER BY j.id
