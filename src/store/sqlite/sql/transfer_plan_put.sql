INSERT INTO plans (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
