SELECT version FROM keys WHERE id = ?1
