-- Where each of an action's jobs is, of those that are still there, and when it finished. Counted by the caller: grouping would sort them.
SELECT o.outcome, o.finished_at
FROM action_jobs a CROSS JOIN job_outcomes o ON o.id >= a.first_job AND o.id < a.first_job + a.jobs
WHERE a.action = ?1
