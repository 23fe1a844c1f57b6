-- Oldest first. ?4: with the text.
SELECT id, name, CASE WHEN ?4 THEN text ELSE '' END, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM plans WHERE namespace = ?1 ORDER BY id LIMIT ?2 OFFSET ?3
