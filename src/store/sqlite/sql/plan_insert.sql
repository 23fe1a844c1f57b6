INSERT INTO plans (namespace, name, text, description, tasks, needs, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
