UPDATE key_fields SET value = ?3 WHERE key = ?1 AND name = ?2
