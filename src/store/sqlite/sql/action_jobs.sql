SELECT first_job, jobs FROM action_jobs WHERE action = ?1 ORDER BY place
