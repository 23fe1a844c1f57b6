WITH gone AS (DELETE FROM {schema}.keys WHERE namespace = $1::integer AND space = $2::smallint RETURNING id),
  items AS (DELETE FROM {schema}.key_items WHERE key IN (SELECT id FROM gone)),
  fields AS (DELETE FROM {schema}.key_fields WHERE key IN (SELECT id FROM gone))
DELETE FROM {schema}.key_scores WHERE key IN (SELECT id FROM gone)
