UPDATE schedules
SET queue = ?3, type = ?4, enabled = ?5, due_at = ?6, created_at = ?7, updated_at = ?8, next_fire_at = ?9, last_fired_at = ?10,
  caught_up_to = ?11, buffered = ?12, last_job = ?13, fired = ?14, skipped = ?15, revision = ?16, spec = ?17, payload = ?18
WHERE namespace = ?1 AND name = ?2
