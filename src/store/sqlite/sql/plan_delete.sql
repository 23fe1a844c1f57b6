DELETE FROM plans WHERE id = ?1
