-- With everything in them.
WITH items AS (DELETE FROM {schema}.key_items WHERE key = ANY($1::bigint[])),
  fields AS (DELETE FROM {schema}.key_fields WHERE key = ANY($1::bigint[])),
  scores AS (DELETE FROM {schema}.key_scores WHERE key = ANY($1::bigint[]))
DELETE FROM {schema}.keys WHERE id = ANY($1::bigint[])
