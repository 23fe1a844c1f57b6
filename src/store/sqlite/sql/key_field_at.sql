SELECT name, value FROM key_fields WHERE key = ?1 ORDER BY name LIMIT 1 OFFSET ?2
