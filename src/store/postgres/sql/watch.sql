-- Other jobs wait for these: their end is looked at. The caller holds their rows.
WITH still AS (
  UPDATE {schema}.waiting SET flags = flags | 64, special = true WHERE id = ANY($1::bigint[])
)
UPDATE {schema}.running SET flags = flags | 64, special = true WHERE id = ANY($1::bigint[])
