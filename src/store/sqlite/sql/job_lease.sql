UPDATE jobs SET lease = ?2 WHERE id = ?1
