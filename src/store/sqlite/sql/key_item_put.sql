INSERT OR REPLACE INTO key_items (key, position, value) VALUES (?1, ?2, ?3)
