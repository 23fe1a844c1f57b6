-- By the primary key, which is the order of arrival: an index on the namespace would have to be sorted first.
SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled
FROM actions WHERE +namespace = ?1 AND (?2 IS NULL OR +plan = ?2) ORDER BY id LIMIT ?3 OFFSET ?4
