-- Ids of rows are used again. The version begins anywhere, so that a key made anew is not taken for the one before it.
INSERT INTO keys (namespace, space, name, type, expires_at, value, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, random() / 2) RETURNING id
