DELETE FROM key_scores WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)
