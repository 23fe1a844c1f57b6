-- How many jobs are where. ?1 to ?3: namespace, queue and type; ?4: states as bits, 0 for all; ?5: only runs; ?6: now. Rows are counted
-- by lane before names are looked at.
SELECT n.name, q.name, l.type, c.state, SUM(c.count)
FROM (
  SELECT lane, CASE WHEN state = 0 AND run_at <= ?6 THEN 1 ELSE state END AS state, COUNT(*) AS count
  FROM jobs
  WHERE ?5 = 0 OR (flags & 64) != 0
  GROUP BY 1, 2
) c
JOIN lanes l ON l.id = c.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
WHERE (?1 IS NULL OR n.name = ?1)
  AND (?2 IS NULL OR q.name = ?2)
  AND (?3 IS NULL OR l.type = ?3)
  AND (?4 = 0 OR (?4 & (1 << c.state)) != 0)
GROUP BY n.name, q.name, l.type, c.state
ORDER BY n.name, q.name, l.type, c.state
