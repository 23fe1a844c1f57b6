DELETE FROM contents WHERE job = ?1
