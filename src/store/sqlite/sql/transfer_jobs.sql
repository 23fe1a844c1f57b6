-- The first columns are those of job_read.sql.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence, j.worker, j.started_at,
  j.finished_at, j.spec, j.payload, j.result, j.error, j.expires_at, j.rank, j.lease, j.cancel_reason, n.name, q.name, l.type, w.name, w.spec
FROM jobs j
LEFT JOIN lanes l ON l.id = j.lane
LEFT JOIN queues q ON q.id = l.queue
LEFT JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = j.worker
WHERE j.id > ?1 ORDER BY j.id LIMIT ?2
