INSERT OR IGNORE INTO dependencies (job, after) VALUES (?1, ?2)
