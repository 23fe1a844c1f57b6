UPDATE keys SET expires_at = ?2, count = ?3, head = ?4, tail = ?5, version = version + 1 WHERE id = ?1
