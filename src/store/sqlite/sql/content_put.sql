INSERT OR REPLACE INTO contents (job, kind, data) VALUES (?1, ?2, ?3)
