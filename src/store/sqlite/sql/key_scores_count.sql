SELECT COUNT(*) FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3
