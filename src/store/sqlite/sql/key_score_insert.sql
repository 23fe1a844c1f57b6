INSERT OR IGNORE INTO key_scores (key, member, score) VALUES (?1, ?2, ?3)
