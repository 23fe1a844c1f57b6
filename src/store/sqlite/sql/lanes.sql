-- name: lane_all
SELECT id, queue, type, needs FROM lanes ORDER BY id

-- name: lane_count
SELECT count(*), coalesce(max(id), 0) FROM lanes

-- name: lane_delete
DELETE FROM lanes WHERE id = ?1

-- name: lane_delete_of_namespace
DELETE FROM lanes WHERE queue IN (SELECT id FROM queues WHERE namespace = ?1)

-- name: lane_find
SELECT id FROM lanes WHERE queue = ?1 AND type = ?2 AND needs = ?3

-- name: lane_ids
SELECT id FROM lanes WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3

-- name: lane_insert
INSERT INTO lanes (id, queue, type, needs) VALUES (?1, ?2, ?3, ?4)

-- name: lane_read
SELECT q.namespace, n.name, q.name, l.type, l.needs FROM lanes l JOIN queues q ON q.id = l.queue JOIN namespaces n ON n.id = q.namespace WHERE l.id = ?1
