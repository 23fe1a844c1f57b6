SELECT position, value FROM key_items WHERE key = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3
