UPDATE key_scores SET score = ?3 WHERE key = ?1 AND member = ?2
