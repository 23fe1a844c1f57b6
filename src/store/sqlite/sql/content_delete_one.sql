DELETE FROM contents WHERE job = ?1 AND kind = ?2
