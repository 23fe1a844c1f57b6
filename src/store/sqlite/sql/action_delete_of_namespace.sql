DELETE FROM actions WHERE namespace = ?1
