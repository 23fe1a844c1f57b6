DELETE FROM key_items WHERE key IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 AND type = 1)
