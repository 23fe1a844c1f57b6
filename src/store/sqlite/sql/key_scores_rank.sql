SELECT COUNT(*) FROM key_scores WHERE key = ?1 AND (score, member) < (?2, ?3)
