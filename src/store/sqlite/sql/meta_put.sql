INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)
