SELECT count(*)
FROM {schema}.schedules s
WHERE ($1::integer IS NULL OR s.namespace = $1::integer) AND ($2::text IS NULL OR s.queue = $2::text)
  AND ($3::text IS NULL OR s.type = $3::text) AND ($4::boolean IS NULL OR s.enabled = $4::boolean)
