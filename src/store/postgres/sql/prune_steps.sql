-- Steps and signals go with their runs.
WITH silent AS (
  DELETE FROM {schema}.signals WHERE job = ANY($1::bigint[])
)
DELETE FROM {schema}.steps WHERE job = ANY($1::bigint[])
