SELECT COUNT(*) FROM (SELECT 1 FROM key_scores WHERE key = ?1 AND (score, member) < (?2, ?3) LIMIT ?4)
