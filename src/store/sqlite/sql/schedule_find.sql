-- The columns of every statement that reads schedules, in the order of read_schedule().
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules WHERE namespace = ?1 AND name = ?2
