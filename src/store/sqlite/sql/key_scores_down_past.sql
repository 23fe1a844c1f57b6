SELECT member, score FROM key_scores WHERE key = ?1 AND (score, member) < (?2, ?3) AND score >= ?4
ORDER BY score DESC, member DESC
LIMIT ?5
