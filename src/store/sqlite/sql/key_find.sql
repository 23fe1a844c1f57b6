SELECT id, type, expires_at, count, head, tail FROM keys WHERE namespace = ?1 AND space = ?2 AND name = ?3
