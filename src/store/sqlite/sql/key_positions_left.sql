SELECT position FROM (SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position LIMIT ?4) WHERE value = ?2 LIMIT ?3
