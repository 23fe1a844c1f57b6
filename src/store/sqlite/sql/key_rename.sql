UPDATE keys SET name = ?2, version = version + 1 WHERE id = ?1
