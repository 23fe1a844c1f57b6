SELECT member, score FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3
ORDER BY score DESC, member DESC
LIMIT ?4 OFFSET ?5
