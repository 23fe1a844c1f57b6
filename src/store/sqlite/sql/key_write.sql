UPDATE keys SET expires_at = ?2, count = ?3, head = ?4, tail = ?5 WHERE id = ?1
