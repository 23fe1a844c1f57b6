INSERT INTO actions (namespace, name, plan, created_at, jobs) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id
