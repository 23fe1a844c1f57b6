UPDATE keys SET name = ?2 WHERE id = ?1
