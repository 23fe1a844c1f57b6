INSERT INTO key_fields (key, name, value) VALUES (?1, ?2, ?3)
