DELETE FROM namespaces WHERE id = ?1
