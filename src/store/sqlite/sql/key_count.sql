-- Of all by the index of names, without those whose time has come, which are few: the sweep sees to that. Neither is counted for ever.
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM keys WHERE namespace = ?1 AND space = ?2 LIMIT ?4))
  - (SELECT COUNT(*) FROM (SELECT 1 FROM keys INDEXED BY keys_expiring WHERE expires_at <= ?3 AND namespace = ?1 AND space = ?2 LIMIT ?4))
