INSERT INTO actions (namespace, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
RETURNING id
