DELETE FROM signals WHERE job = ?1
