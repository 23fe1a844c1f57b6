SELECT member, score FROM key_scores WHERE key = ?1 AND member > ?2 ORDER BY member LIMIT ?3
