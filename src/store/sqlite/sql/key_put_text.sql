UPDATE keys SET value = ?2, version = version + 1 WHERE id = ?1
