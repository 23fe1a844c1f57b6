SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs FROM plans WHERE namespace = ?1 AND name = ?2
