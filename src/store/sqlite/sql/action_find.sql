SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled FROM actions WHERE namespace = ?1 AND name = ?2
