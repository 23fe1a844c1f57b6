SELECT action, first_job + jobs FROM action_jobs WHERE first_job <= ?1 ORDER BY first_job DESC LIMIT 1
