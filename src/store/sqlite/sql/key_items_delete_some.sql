DELETE FROM key_items WHERE key = ?1 AND position IN (SELECT position FROM key_items WHERE key = ?1 ORDER BY position LIMIT ?2)
