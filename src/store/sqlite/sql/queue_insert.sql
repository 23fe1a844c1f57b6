INSERT INTO queues (id, namespace, name, settings) VALUES (?1, ?2, ?3, ?4)
