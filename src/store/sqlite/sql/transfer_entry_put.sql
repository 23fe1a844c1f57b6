INSERT INTO keys (id, namespace, space, name, type, expires_at, count, head, tail, value)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
