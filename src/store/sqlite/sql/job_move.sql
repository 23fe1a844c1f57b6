-- Every other move: the whole changeable part of the row.
UPDATE jobs
SET state = ?2, event = ?3, flags = ?4, rank = ?5, run_at = ?6, attempt = ?7, rescues = ?8, finished_at = ?9, error = ?10
WHERE id = ?1
