DELETE FROM key_items WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)
