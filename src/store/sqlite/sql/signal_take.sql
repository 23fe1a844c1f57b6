DELETE FROM signals WHERE job = ?1 AND place = ?2
