WITH gone AS (
  DELETE FROM {schema}.lanes WHERE queue IN (SELECT id FROM {schema}.queues WHERE namespace = $1::integer) RETURNING id
)
DELETE FROM {schema}.fair WHERE lane IN (SELECT id FROM gone)
