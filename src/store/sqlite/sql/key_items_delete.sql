DELETE FROM key_items WHERE key = ?1 AND position BETWEEN ?2 AND ?3
