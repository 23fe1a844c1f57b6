-- Texts go; what holds elements is out of sight at once, and the sweep of expired keys removes it.
WITH chosen AS MATERIALIZED (
  SELECT id, type FROM {schema}.keys WHERE namespace = $1::integer AND space = $2::smallint LIMIT $3::bigint),
texts AS (
  DELETE FROM {schema}.keys WHERE id = ANY (ARRAY(SELECT id FROM chosen WHERE type = 0)) RETURNING id),
others AS (
  UPDATE {schema}.keys SET space = 2, name = convert_to(id::text, 'UTF8'), expires_at = 0
  WHERE id = ANY (ARRAY(SELECT id FROM chosen WHERE type <> 0)) RETURNING id)
SELECT (SELECT count(*) FROM texts) + (SELECT count(*) FROM others)
