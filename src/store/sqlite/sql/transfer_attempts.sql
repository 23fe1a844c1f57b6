SELECT a.attempt, a.fence, w.name, a.started_at, a.ended_at, a.outcome, a.error
FROM attempts a LEFT JOIN workers w ON w.id = a.worker
WHERE a.job = ?1 ORDER BY a.id
