DELETE FROM key_fields WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)
