DELETE FROM action_jobs WHERE action IN (SELECT id FROM actions WHERE namespace = ?1)
