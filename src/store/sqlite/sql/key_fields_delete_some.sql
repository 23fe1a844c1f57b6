DELETE FROM key_fields WHERE key = ?1 AND name IN (SELECT name FROM key_fields WHERE key = ?1 ORDER BY name LIMIT ?2)
