UPDATE jobs SET state = 2, event = 2, attempt = ?2, fence = ?3, worker = ?4, started_at = ?5, lease = ?6 WHERE id = ?1
