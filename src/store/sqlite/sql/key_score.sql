SELECT score FROM key_scores WHERE key = ?1 AND member = ?2
