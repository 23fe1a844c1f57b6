SELECT COUNT(*) FROM actions WHERE namespace = ?1 AND (?2 IS NULL OR plan = ?2)
