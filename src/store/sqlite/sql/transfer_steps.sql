-- The first columns are those of step_newest.sql.
SELECT s.job, s.place, s.name, s.kind, s.state, s.attempt, s.encodings, s.begun_at, s.finished_at, s.until, s.worker, s.fence, s.child,
  s.signal, s.policy, s.error, s.input, s.output, n.name, w.name
FROM steps s
JOIN jobs j ON j.id = s.job
JOIN lanes l ON l.id = j.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = s.worker
WHERE (s.job, s.place) > (?1, ?2) ORDER BY s.job, s.place LIMIT ?3
