DELETE FROM key_fields WHERE key IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 AND type IN (2, 3))
