UPDATE jobs SET state = 3, event = 3, flags = ?2, finished_at = ?3, result = ?4 WHERE id = ?1
