SELECT COUNT(*) FROM plans WHERE namespace = ?1
