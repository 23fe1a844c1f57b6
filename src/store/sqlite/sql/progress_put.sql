INSERT OR REPLACE INTO progress (job, fraction, message, partial, partial_encoding, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
