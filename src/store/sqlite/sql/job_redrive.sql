UPDATE jobs
SET state = 1, event = ?2, flags = ?3, rank = ?4, run_at = ?5, expires_at = ?6, attempt = 0, rescues = 0, finished_at = NULL, result = NULL,
  cancel_reason = NULL, lease = NULL
WHERE id = ?1
