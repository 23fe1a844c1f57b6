SELECT key, name, value FROM key_fields WHERE (key, name) > (?1, ?2) ORDER BY key, name LIMIT ?3
