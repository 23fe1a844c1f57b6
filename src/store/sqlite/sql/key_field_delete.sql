DELETE FROM key_fields WHERE key = ?1 AND name = ?2
