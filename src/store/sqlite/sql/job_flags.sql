UPDATE jobs SET flags = ?2 WHERE id = ?1
