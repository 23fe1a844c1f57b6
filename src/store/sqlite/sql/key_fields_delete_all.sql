DELETE FROM key_fields WHERE key = ?1
