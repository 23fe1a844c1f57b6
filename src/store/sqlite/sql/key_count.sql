-- All of them by the index of names, without those whose time has come, which are few: the sweep sees to that.
SELECT (SELECT COUNT(*) FROM keys WHERE namespace = ?1 AND space = ?2)
  - (SELECT COUNT(*) FROM keys INDEXED BY keys_expiring WHERE expires_at <= ?3 AND namespace = ?1 AND space = ?2)
