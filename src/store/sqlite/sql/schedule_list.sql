-- Newest first, below id ?1.
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules
WHERE id < ?1 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR queue = ?3) AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR enabled = ?5)
ORDER BY id DESC LIMIT ?6
