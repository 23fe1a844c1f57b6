SELECT id, name FROM actions WHERE namespace = ?1 AND plan = ?2 AND settled_at IS NULL
