-- ?3 and ?5: the bound itself is out.
SELECT member, score FROM key_scores
WHERE key = ?1 AND (score, member) < (?7, ?8)
  AND (?2 IS NULL OR member > ?2 OR (member = ?2 AND NOT ?3)) AND (?4 IS NULL OR member < ?4 OR (member = ?4 AND NOT ?5))
ORDER BY score DESC, member DESC
LIMIT ?6
