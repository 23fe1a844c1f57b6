SELECT id FROM actions WHERE settled_at IS NULL AND id > ?1 ORDER BY id LIMIT ?2
