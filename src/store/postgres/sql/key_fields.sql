-- name: key_field
SELECT value FROM {schema}.key_fields WHERE key = $1::bigint AND sha256(name) = sha256($2::bytea)

-- name: key_field_at
SELECT name, value FROM {schema}.key_fields WHERE key = $1::bigint
ORDER BY substring(name FROM 1 FOR 256), name LIMIT 1 OFFSET $2::bigint

-- name: key_field_put
-- Answers whether it is new.
INSERT INTO {schema}.key_fields (key, name, value) VALUES ($1::bigint, $2::bytea, $3::bytea)
ON CONFLICT (key, sha256(name)) DO UPDATE SET value = excluded.value
RETURNING xmax = 0

-- name: key_field_remove
DELETE FROM {schema}.key_fields WHERE key = $1::bigint AND sha256(name) = sha256($2::bytea)

-- name: key_fields
-- In byte order behind a name. A piece ends with the field that passes $4 bytes.
SELECT name, value FROM (
  SELECT name, value, sum(octet_length(name) + octet_length(value)) OVER (ORDER BY substring(name FROM 1 FOR 256), name ROWS UNBOUNDED PRECEDING)
    - octet_length(name) - octet_length(value) AS bytes_before
  FROM {schema}.key_fields
  WHERE key = $1::bigint AND substring(name FROM 1 FOR 256) >= substring($2::bytea FROM 1 FOR 256) AND name > $2::bytea
  ORDER BY substring(name FROM 1 FOR 256), name LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY substring(name FROM 1 FOR 256), name

-- name: key_fields_of
-- The values of these names, in their order; NULL: there is no such field.
SELECT f.value FROM unnest($2::bytea[]) WITH ORDINALITY AS u (name, place)
LEFT JOIN {schema}.key_fields f ON f.key = $1::bigint AND sha256(f.name) = sha256(u.name)
ORDER BY u.place

-- name: key_fields_put
-- Answers how many are new.
WITH put AS (
  INSERT INTO {schema}.key_fields (key, name, value)
  SELECT $1::bigint, u.name, u.value FROM unnest($2::bytea[], $3::bytea[]) AS u (name, value)
  ON CONFLICT (key, sha256(name)) DO UPDATE SET value = excluded.value
  RETURNING xmax = 0 AS is_new)
SELECT count(*) FROM put WHERE is_new

-- name: key_fields_remove
DELETE FROM {schema}.key_fields f USING unnest($2::bytea[]) AS u (name) WHERE f.key = $1::bigint AND sha256(f.name) = sha256(u.name)

-- name: key_fields_remove_some
DELETE FROM {schema}.key_fields WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_fields WHERE key = $1::bigint LIMIT $2::bigint))
