-- name: queue_all
SELECT id, namespace, name, settings FROM queues ORDER BY id

-- name: queue_delete_of_namespace
DELETE FROM queues WHERE namespace = ?1

-- name: queue_insert
INSERT INTO queues (id, namespace, name, settings) VALUES (?1, ?2, ?3, ?4)

-- name: queue_update
UPDATE queues SET settings = ?2 WHERE id = ?1
