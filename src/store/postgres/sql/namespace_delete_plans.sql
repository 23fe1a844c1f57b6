WITH gone AS (
  DELETE FROM {schema}.actions WHERE namespace = $1::integer
)
DELETE FROM {schema}.plans WHERE namespace = $1::integer
