DELETE FROM plans WHERE namespace = ?1
