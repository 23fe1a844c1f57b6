-- name: key_clear
-- Texts go; what holds elements is out of sight at once, and the sweep of expired keys removes it.
WITH chosen AS MATERIALIZED (
  SELECT id, type FROM {schema}.keys WHERE namespace = $1::integer AND space = $2::smallint LIMIT $3::bigint),
texts AS (
  DELETE FROM {schema}.keys WHERE id = ANY (ARRAY(SELECT id FROM chosen WHERE type = {type.text})) RETURNING id),
others AS (
  UPDATE {schema}.keys SET space = {space.leaving}, name = convert_to(id::text, 'UTF8'), expires_at = 0
  WHERE id = ANY (ARRAY(SELECT id FROM chosen WHERE type <> {type.text})) RETURNING id)
SELECT (SELECT count(*) FROM texts) + (SELECT count(*) FROM others)

-- name: key_count
SELECT count(*) FROM (
  SELECT FROM {schema}.keys
  WHERE namespace = $1::integer AND space = $2::smallint AND (expires_at IS NULL OR expires_at > $3::bigint)
  LIMIT $4::bigint) AS counted

-- name: key_create
INSERT INTO {schema}.keys (namespace, space, name, type, expires_at) VALUES ($1::integer, $2::smallint, $3::bytea, $4::smallint, $5::bigint)
RETURNING id

-- name: key_expired
SELECT id, namespace, space, name, type, count FROM {schema}.keys WHERE expires_at <= $1::bigint ORDER BY expires_at LIMIT $2::bigint

-- name: key_expiry_next
SELECT min(expires_at) FROM {schema}.keys WHERE expires_at IS NOT NULL

-- name: key_find
-- Keys by their names, and the value of a short text.
SELECT k.name, k.id, k.type, k.expires_at, k.count, k.head, k.tail,
       CASE WHEN k.type = {type.text} AND octet_length(k.value) <= $4::integer THEN k.value END
FROM unnest($3::bytea[]) AS u (name)
JOIN {schema}.keys k
  ON k.namespace = $1::integer AND k.space = $2::smallint AND sha256(k.name) = sha256(u.name) AND k.name = u.name

-- name: key_freed
-- A key has room: the first waiter of each lane and limit that fits is called. The claim checks again, so one too many is harmless.
WITH RECURSIVE held AS (
  SELECT count(*) AS n FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea
), first AS (
  (SELECT stand, key_limit, rank, job FROM {schema}.parked WHERE namespace = $1::integer AND key = $2::bytea
   ORDER BY stand, key_limit, rank, job LIMIT 1)
  UNION ALL
  SELECT following.*
  FROM first CROSS JOIN LATERAL (
    SELECT p.stand, p.key_limit, p.rank, p.job FROM {schema}.parked p
    WHERE p.namespace = $1::integer AND p.key = $2::bytea AND (p.stand, p.key_limit) > (first.stand, first.key_limit)
    ORDER BY p.stand, p.key_limit, p.rank, p.job LIMIT 1) AS following
), called AS (
  DELETE FROM {schema}.parked p USING first f, held
  WHERE p.namespace = $1::integer AND p.key = $2::bytea AND p.stand = f.stand AND p.key_limit = f.key_limit AND p.rank = f.rank
    AND p.job = f.job AND f.key_limit > held.n
  RETURNING p.job
)
UPDATE {schema}.waiting w SET place = {place.ready} FROM called WHERE w.id = called.job RETURNING w.id, w.stand

-- name: key_gate
SELECT pg_advisory_xact_lock(hashtext('{schema} all keys'), $1::integer)

-- name: key_gate_shared
-- Whoever writes some keys of this namespace, beside others who do; not beside one who takes them all.
SELECT pg_advisory_xact_lock_shared(hashtext('{schema} all keys'), $1::integer)

-- name: key_lock
-- Everybody who writes one of these keys waits for the commit, in one order. Keys share a bounded number of stripes, or a long batch would fill
-- the server's table of locks. The first number sets our locks apart from others'.
SELECT pg_advisory_xact_lock(hashtext('{schema} keys'), s.stripe)
FROM (SELECT unnest($1::integer[]) AS stripe ORDER BY 1) AS s

-- name: key_lock_some
-- Stripes that nobody holds; they are ours until the commit.
SELECT s.stripe FROM unnest($1::integer[]) AS s (stripe)
WHERE pg_try_advisory_xact_lock(hashtext('{schema} keys'), s.stripe)

-- name: key_names
-- In byte order. The index holds the beginnings of the names. A piece ends with the name that passes $5 bytes.
SELECT name, id, type, expires_at, count, head, tail FROM (
  SELECT name, id, type, expires_at, count, head, tail,
    sum(octet_length(name)) OVER (ORDER BY substring(name FROM 1 FOR 256), name ROWS UNBOUNDED PRECEDING) - octet_length(name) AS bytes_before
  FROM {schema}.keys
  WHERE namespace = $1::integer AND space = $2::smallint AND substring(name FROM 1 FOR 256) >= substring($3::bytea FROM 1 FOR 256)
    AND name > $3::bytea
  ORDER BY substring(name FROM 1 FOR 256), name LIMIT $4::bigint) AS piece
WHERE bytes_before < $5::bigint
ORDER BY substring(name FROM 1 FOR 256), name

-- name: key_remove
-- With everything in them.
WITH items AS (DELETE FROM {schema}.key_items WHERE key = ANY($1::bigint[])),
  fields AS (DELETE FROM {schema}.key_fields WHERE key = ANY($1::bigint[])),
  scores AS (DELETE FROM {schema}.key_scores WHERE key = ANY($1::bigint[]))
DELETE FROM {schema}.keys WHERE id = ANY($1::bigint[])

-- name: key_rename
UPDATE {schema}.keys SET name = $2::bytea, version = version + 1 WHERE id = $1::bigint

-- name: key_retire
-- Out of sight, where the sweep of expired keys finds it first: in the space of removed ones, which goes by numbers.
UPDATE {schema}.keys SET space = {space.leaving}, name = convert_to(id::text, 'UTF8'), expires_at = 0 WHERE id = $1::bigint

-- name: key_still_expired
-- Looked at again under their locks: one that was given more time meanwhile stays.
SELECT id, type, count, space FROM {schema}.keys WHERE id = ANY($1::bigint[]) AND expires_at <= $2::bigint
ORDER BY expires_at FOR UPDATE SKIP LOCKED

-- name: key_text
SELECT value FROM {schema}.keys WHERE id = $1::bigint

-- name: key_text_put
UPDATE {schema}.keys SET value = $2::bytea, version = version + 1 WHERE id = $1::bigint

-- name: key_version
SELECT version FROM {schema}.keys WHERE id = $1::bigint

-- name: key_write
UPDATE {schema}.keys SET expires_at = $2::bigint, count = $3::bigint, head = $4::bigint, tail = $5::bigint, version = version + 1 WHERE id = $1::bigint
