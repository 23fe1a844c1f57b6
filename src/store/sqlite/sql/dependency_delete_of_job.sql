DELETE FROM dependencies WHERE job = ?1
