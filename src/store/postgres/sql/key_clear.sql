-- Texts go; what holds elements is out of sight at once, and the sweep of expired keys removes it.
WITH texts AS (DELETE FROM {schema}.keys WHERE namespace = $1::integer AND space = $2::smallint AND type = 0)
UPDATE {schema}.keys SET space = 2, name = convert_to(id::text, 'UTF8'), expires_at = 0
WHERE namespace = $1::integer AND space = $2::smallint AND type <> 0
