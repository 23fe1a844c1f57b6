DELETE FROM dependencies WHERE job = ?1 AND after = ?2
