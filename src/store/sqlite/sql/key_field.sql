SELECT value FROM key_fields WHERE key = ?1 AND name = ?2
