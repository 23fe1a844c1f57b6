-- One stretch of the listing, oldest first: ids above ?1 and not above ?2. A scheduled row that is due counts as ready.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence, j.worker, j.started_at,
  j.finished_at, j.spec, j.payload, j.result, j.error, j.expires_at, n.name, q.name, l.type, l.needs, w.name
FROM jobs j
JOIN lanes l ON l.id = j.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = j.worker
WHERE j.id > ?1 AND j.id <= ?2
  AND (?3 IS NULL OR n.name = ?3)
  AND (?4 IS NULL OR q.name = ?4)
  AND (?5 IS NULL OR l.type = ?5)
  AND (?6 IS NULL OR w.name = ?6)
  AND (?7 = 0 OR (?7 & (1 << CASE WHEN j.state = 0 AND j.run_at <= ?8 THEN 1 ELSE j.state END)) != 0)
  AND (?9 IS NULL OR j.created_at > ?9)
  AND (?10 IS NULL OR j.created_at < ?10)
  AND (?14 = 0 OR (j.flags & 64) != 0)
  AND (?11 IS NULL OR json_extract(j.error, '$.kind') = ?11)
  AND (?12 IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(?12) wanted
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(COALESCE(j.spec, '{}'), '$.labels') have
      WHERE have.key = wanted.key AND have.value = wanted.value)))
ORDER BY j.id
LIMIT ?13
