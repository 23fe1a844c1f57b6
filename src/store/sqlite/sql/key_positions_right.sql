SELECT position FROM key_items WHERE key = ?1 AND value = ?2 ORDER BY position DESC LIMIT ?3
