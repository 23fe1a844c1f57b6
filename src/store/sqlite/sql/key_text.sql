SELECT value FROM keys WHERE id = ?1
