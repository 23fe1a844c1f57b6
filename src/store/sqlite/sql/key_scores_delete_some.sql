DELETE FROM key_scores WHERE key = ?1 AND member IN (SELECT member FROM key_scores WHERE key = ?1 ORDER BY member LIMIT ?2)
