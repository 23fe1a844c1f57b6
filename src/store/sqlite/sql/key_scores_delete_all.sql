DELETE FROM key_scores WHERE key = ?1
