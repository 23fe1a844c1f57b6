DELETE FROM actions WHERE id = ?1
