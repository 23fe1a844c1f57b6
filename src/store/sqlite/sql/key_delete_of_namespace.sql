DELETE FROM keys WHERE namespace = ?1
