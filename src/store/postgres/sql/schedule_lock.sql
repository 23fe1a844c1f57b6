SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s WHERE s.namespace = $1::integer AND s.name = $2::text FOR UPDATE
