SELECT place, encoding, data FROM signals WHERE job = ?1 AND name = ?2 ORDER BY place LIMIT 1
