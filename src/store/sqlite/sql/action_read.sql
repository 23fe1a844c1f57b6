SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled FROM actions WHERE id = ?1
