-- Newest first, below the number $1.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s
WHERE s.id < $1::bigint AND ($2::integer IS NULL OR s.namespace = $2::integer) AND ($3::text IS NULL OR s.queue = $3::text)
  AND ($4::text IS NULL OR s.type = $4::text) AND ($5::boolean IS NULL OR s.enabled = $5::boolean)
ORDER BY s.id DESC LIMIT $6::bigint
