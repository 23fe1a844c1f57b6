SELECT member, score FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3 ORDER BY score, member LIMIT ?4 OFFSET ?5
