SELECT id FROM actions WHERE settled_at <= ?1 ORDER BY settled_at LIMIT ?2
