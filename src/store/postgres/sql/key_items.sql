-- name: key_item_put
INSERT INTO {schema}.key_items (key, position, value) VALUES ($1::bigint, $2::bigint, $3::bytea)
ON CONFLICT (key, position) DO UPDATE SET value = excluded.value

-- name: key_items_left
-- A piece ends with the element that passes $4 bytes.
SELECT position, value FROM (
  SELECT position, value, sum(octet_length(value)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
  FROM {schema}.key_items WHERE key = $1::bigint
  ORDER BY position LIMIT $2::bigint OFFSET $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY position

-- name: key_items_past_left
-- A piece ends with the element that passes $4 bytes.
SELECT position, value FROM (
  SELECT position, value, sum(octet_length(value)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
  FROM {schema}.key_items WHERE key = $1::bigint AND position > $2::bigint
  ORDER BY position LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY position

-- name: key_items_past_right
-- A piece ends with the element that passes $4 bytes.
SELECT position, value FROM (
  SELECT position, value, sum(octet_length(value)) OVER (ORDER BY position DESC ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
  FROM {schema}.key_items WHERE key = $1::bigint AND position < $2::bigint
  ORDER BY position DESC LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY position DESC

-- name: key_items_remove
DELETE FROM {schema}.key_items WHERE key = $1::bigint AND position BETWEEN $2::bigint AND $3::bigint

-- name: key_items_remove_some
DELETE FROM {schema}.key_items WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_items WHERE key = $1::bigint LIMIT $2::bigint))

-- name: key_items_right
-- A piece ends with the element that passes $4 bytes.
SELECT position, value FROM (
  SELECT position, value, sum(octet_length(value)) OVER (ORDER BY position DESC ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
  FROM {schema}.key_items WHERE key = $1::bigint
  ORDER BY position DESC LIMIT $2::bigint OFFSET $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY position DESC

-- name: key_positions_left
SELECT position FROM (SELECT position, value FROM {schema}.key_items WHERE key = $1::bigint ORDER BY position LIMIT $4::bigint) AS looked_at
WHERE value = $2::bytea ORDER BY position LIMIT $3::bigint

-- name: key_positions_right
SELECT position FROM (SELECT position, value FROM {schema}.key_items WHERE key = $1::bigint ORDER BY position DESC LIMIT $4::bigint) AS looked_at
WHERE value = $2::bytea ORDER BY position DESC LIMIT $3::bigint
