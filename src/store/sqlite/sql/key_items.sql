-- name: key_item_put
INSERT OR REPLACE INTO key_items (key, position, value) VALUES (?1, ?2, ?3)

-- name: key_items_delete
DELETE FROM key_items WHERE key = ?1 AND position BETWEEN ?2 AND ?3

-- name: key_items_delete_all
DELETE FROM key_items WHERE key = ?1

-- name: key_items_delete_of_namespace
DELETE FROM key_items WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)

-- name: key_items_delete_some
DELETE FROM key_items WHERE key = ?1 AND position IN (SELECT position FROM key_items WHERE key = ?1 ORDER BY position LIMIT ?2)

-- name: key_items_left
SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position LIMIT ?2 OFFSET ?3

-- name: key_items_past_left
SELECT position, value FROM key_items WHERE key = ?1 AND position > ?2 ORDER BY position LIMIT ?3

-- name: key_items_past_right
SELECT position, value FROM key_items WHERE key = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3

-- name: key_items_right
SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position DESC LIMIT ?2 OFFSET ?3

-- name: key_positions_left
SELECT position FROM (SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position LIMIT ?4) WHERE value = ?2 LIMIT ?3

-- name: key_positions_right
SELECT position FROM (SELECT position, value FROM key_items WHERE key = ?1 ORDER BY position DESC LIMIT ?4) WHERE value = ?2 LIMIT ?3
