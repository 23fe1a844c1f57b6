INSERT OR REPLACE INTO idempotency (namespace, key, job) VALUES (?1, ?2, ?3)
