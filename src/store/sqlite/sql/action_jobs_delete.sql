DELETE FROM action_jobs WHERE action = ?1
