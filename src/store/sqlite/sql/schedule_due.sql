SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2
