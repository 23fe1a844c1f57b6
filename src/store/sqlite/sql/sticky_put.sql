INSERT OR REPLACE INTO sticky (queue, key, worker) VALUES (?1, ?2, ?3)
