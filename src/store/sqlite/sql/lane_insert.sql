INSERT INTO lanes (id, queue, type, needs) VALUES (?1, ?2, ?3, ?4)
