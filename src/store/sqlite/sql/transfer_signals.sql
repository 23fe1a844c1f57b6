SELECT job, place, name, encoding, data FROM signals WHERE (job, place) > (?1, ?2) ORDER BY job, place LIMIT ?3
