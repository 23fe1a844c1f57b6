INSERT INTO schedules (namespace, name, queue, type, enabled, due_at, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered,
  last_job, fired, skipped, revision, spec, payload)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
