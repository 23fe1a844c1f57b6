-- Keeps the newest ?2 records of a job.
DELETE FROM attempts
WHERE job = ?1 AND id <= (SELECT id FROM attempts WHERE job = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
