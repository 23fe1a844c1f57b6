INSERT INTO signals (job, place, name, encoding, data) VALUES (?1, ?2, ?3, ?4, ?5)
