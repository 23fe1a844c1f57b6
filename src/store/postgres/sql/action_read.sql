SELECT a.id, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled,
       o.waiting, o.running, o.completed, o.failed, o.dead, o.cancelled
FROM {schema}.actions a
LEFT JOIN LATERAL {schema}.action_outcomes(a.job_keys, a.created_at) AS o ON a.settled_at IS NULL
WHERE a.namespace = $1::integer AND a.name = $2::text
