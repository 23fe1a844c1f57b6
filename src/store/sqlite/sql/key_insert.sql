INSERT INTO keys (namespace, space, name, type, expires_at, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id
