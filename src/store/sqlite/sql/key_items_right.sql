SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position DESC LIMIT ?2 OFFSET ?3
