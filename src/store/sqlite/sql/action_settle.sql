-- ?2 NULL: it is open again.
UPDATE actions SET settled_at = ?2, completed = ?3, failed = ?4, dead = ?5, cancelled = ?6 WHERE id = ?1
