-- The first columns are those of schedule_find.sql.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job,
  s.fired, s.skipped, s.revision, s.spec, s.payload, n.name
FROM schedules s JOIN namespaces n ON n.id = s.namespace
WHERE s.id > ?1 ORDER BY s.id LIMIT ?2
