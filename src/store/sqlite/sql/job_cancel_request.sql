UPDATE jobs SET flags = ?2, cancel_reason = ?3 WHERE id = ?1
