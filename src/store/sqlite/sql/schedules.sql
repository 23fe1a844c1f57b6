-- name: schedule_buffered
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules WHERE buffered IS NOT NULL AND enabled = 1 ORDER BY buffered, id

-- name: schedule_count
SELECT COUNT(*)
FROM schedules
WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR queue = ?2) AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR enabled = ?4)

-- name: schedule_delete
DELETE FROM schedules WHERE namespace = ?1 AND name = ?2

-- name: schedule_delete_of_namespace
DELETE FROM schedules WHERE namespace = ?1

-- name: schedule_due
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2

-- name: schedule_find
-- The columns of every statement that reads schedules, in the order of read_schedule().
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules WHERE namespace = ?1 AND name = ?2

-- name: schedule_insert
INSERT INTO schedules (namespace, name, queue, type, enabled, due_at, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered,
  last_job, fired, skipped, revision, spec, payload)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)

-- name: schedule_list
-- Newest first, below id ?1.
SELECT id, namespace, name, enabled, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to, buffered, last_job, fired, skipped,
  revision, spec, payload
FROM schedules
WHERE id < ?1 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR queue = ?3) AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR enabled = ?5)
ORDER BY id DESC LIMIT ?6

-- name: schedule_next
SELECT MIN(due_at) FROM schedules WHERE due_at > ?1

-- name: schedule_update
UPDATE schedules
SET queue = ?3, type = ?4, enabled = ?5, due_at = ?6, created_at = ?7, updated_at = ?8, next_fire_at = ?9, last_fired_at = ?10,
  caught_up_to = ?11, buffered = ?12, last_job = ?13, fired = ?14, skipped = ?15, revision = ?16, spec = ?17, payload = ?18
WHERE namespace = ?1 AND name = ?2
