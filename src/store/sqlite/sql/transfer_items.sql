SELECT key, position, value FROM key_items WHERE (key, position) > (?1, ?2) ORDER BY key, position LIMIT ?3
