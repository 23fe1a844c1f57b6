DELETE FROM keys WHERE namespace = ?1 AND space = ?2 AND type = 0
