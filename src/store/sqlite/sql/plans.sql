-- name: plan_count
SELECT COUNT(*) FROM plans WHERE namespace = ?1

-- name: plan_delete
DELETE FROM plans WHERE id = ?1

-- name: plan_delete_of_namespace
DELETE FROM plans WHERE namespace = ?1

-- name: plan_find
SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs FROM plans WHERE namespace = ?1 AND name = ?2

-- name: plan_insert
INSERT INTO plans (namespace, name, text, description, tasks, needs, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: plan_list
-- Oldest first. ?4: with the text.
SELECT id, name, CASE WHEN ?4 THEN text ELSE '' END, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM plans WHERE namespace = ?1 ORDER BY id LIMIT ?2 OFFSET ?3

-- name: plan_replace
UPDATE plans SET text = ?2, description = ?3, tasks = ?4, needs = ?5 WHERE id = ?1

-- name: plan_used
UPDATE plans SET last_used_at = ?2, actions = actions + 1, jobs = jobs + ?3 WHERE id = ?1
