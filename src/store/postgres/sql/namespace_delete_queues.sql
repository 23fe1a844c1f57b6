WITH gone AS (
  DELETE FROM {schema}.queues WHERE namespace = $1::integer RETURNING id
)
DELETE FROM {schema}.sticky WHERE queue IN (SELECT id FROM gone)
