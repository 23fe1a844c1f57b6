-- A finished job of an open action goes: from now on it counts here. Counts that are final hold it already.
UPDATE actions SET completed = completed + (o.outcome = 2), failed = failed + (o.outcome = 3), dead = dead + (o.outcome = 4),
  cancelled = cancelled + (o.outcome = 5)
FROM (SELECT outcome FROM job_outcomes WHERE id = ?2) o
WHERE id = ?1 AND settled_at IS NULL
