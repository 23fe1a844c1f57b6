INSERT INTO action_jobs (first_job, action, place, jobs) VALUES (?1, ?2, ?3, ?4)
