DELETE FROM key_items WHERE key = ?1
