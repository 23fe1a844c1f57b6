SELECT id FROM lanes WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3
