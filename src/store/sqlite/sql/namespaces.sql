-- name: namespace_all
SELECT id, name, description, created_at, display_name, enabled, updated_at FROM namespaces ORDER BY id

-- name: namespace_delete
DELETE FROM namespaces WHERE id = ?1

-- name: namespace_find
SELECT id FROM namespaces WHERE name = ?1

-- name: namespace_insert
INSERT INTO namespaces (id, name, description, created_at, display_name, enabled, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: namespace_jobs
-- Does any job, finished ones included, belong to the namespace?
SELECT EXISTS (
  SELECT 1 FROM jobs
  WHERE lane IN (SELECT lanes.id FROM lanes JOIN queues ON queues.id = lanes.queue WHERE queues.namespace = ?1)
)

-- name: namespace_update
UPDATE namespaces SET description = ?2, display_name = ?3, enabled = ?4, updated_at = ?5 WHERE id = ?1
