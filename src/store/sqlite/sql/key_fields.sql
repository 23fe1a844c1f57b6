-- name: key_field
SELECT value FROM key_fields WHERE key = ?1 AND name = ?2

-- name: key_field_at
SELECT name, value FROM key_fields WHERE key = ?1 ORDER BY name LIMIT 1 OFFSET ?2

-- name: key_field_delete
DELETE FROM key_fields WHERE key = ?1 AND name = ?2

-- name: key_field_insert
INSERT OR IGNORE INTO key_fields (key, name, value) VALUES (?1, ?2, ?3)

-- name: key_field_update
UPDATE key_fields SET value = ?3 WHERE key = ?1 AND name = ?2

-- name: key_fields
SELECT name, value FROM key_fields WHERE key = ?1 AND name > ?2 ORDER BY name LIMIT ?3

-- name: key_fields_delete_all
DELETE FROM key_fields WHERE key = ?1

-- name: key_fields_delete_of_namespace
DELETE FROM key_fields WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)

-- name: key_fields_delete_some
DELETE FROM key_fields WHERE key = ?1 AND name IN (SELECT name FROM key_fields WHERE key = ?1 ORDER BY name LIMIT ?2)
