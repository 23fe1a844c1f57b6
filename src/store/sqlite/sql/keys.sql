-- name: key_clear_texts
-- The texts among the first keys of a space.
DELETE FROM keys
WHERE id IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 ORDER BY name LIMIT ?3) AND type = {type.text}

-- name: key_count
-- Of all by the index of names, without those whose time has come, which are few: the sweep sees to that. Neither is counted for ever.
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM keys WHERE namespace = ?1 AND space = ?2 LIMIT ?4))
  - (SELECT COUNT(*) FROM (SELECT 1 FROM keys INDEXED BY keys_expiring WHERE expires_at <= ?3 AND namespace = ?1 AND space = ?2 LIMIT ?4))

-- name: key_delete_of_namespace
DELETE FROM keys WHERE namespace = ?1

-- name: key_expired
SELECT id, namespace, space, name, type, count FROM keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2

-- name: key_find
SELECT id, type, expires_at, count, head, tail FROM keys WHERE namespace = ?1 AND space = ?2 AND name = ?3

-- name: key_insert
-- Ids of rows are used again. The version begins anywhere, so that a key made anew is not taken for the one before it.
INSERT INTO keys (namespace, space, name, type, expires_at, value, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id

-- name: key_names
SELECT name, id, type, expires_at, count, head, tail FROM keys
WHERE namespace = ?1 AND space = ?2 AND name > ?3
ORDER BY name
LIMIT ?4

-- name: key_next_expiry
SELECT MIN(expires_at) FROM keys WHERE expires_at IS NOT NULL

-- name: key_put_text
UPDATE keys SET value = ?2, version = version + 1 WHERE id = ?1

-- name: key_remove
DELETE FROM keys WHERE id = ?1

-- name: key_rename
UPDATE keys SET name = ?2, version = version + 1 WHERE id = ?1

-- name: key_retire
-- Out of sight, where the sweep of expired keys finds it first: in the space of removed ones, which goes by numbers.
UPDATE keys SET space = {space.leaving}, name = CAST(CAST(id AS TEXT) AS BLOB), expires_at = 0 WHERE id = ?1

-- name: key_retire_first
-- As key_retire, for the first keys of a space.
UPDATE keys SET space = {space.leaving}, name = CAST(CAST(id AS TEXT) AS BLOB), expires_at = 0
WHERE id IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 ORDER BY name LIMIT ?3)

-- name: key_text
SELECT value FROM keys WHERE id = ?1

-- name: key_version
SELECT version FROM keys WHERE id = ?1

-- name: key_whole_begin
SAVEPOINT whole

-- name: key_whole_end
RELEASE whole

-- name: key_whole_undo
ROLLBACK TO whole

-- name: key_write
UPDATE keys SET expires_at = ?2, count = ?3, head = ?4, tail = ?5, version = version + 1 WHERE id = ?1
