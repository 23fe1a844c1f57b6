SELECT name, value FROM key_fields WHERE key = ?1 AND name > ?2 ORDER BY name LIMIT ?3
