SELECT COUNT(*), COALESCE(MAX(place), 0) FROM signals WHERE job = ?1
