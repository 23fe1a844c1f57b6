SELECT a.id, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled,
       o.waiting, o.running, o.completed, o.failed, o.dead, o.cancelled
FROM (SELECT * FROM {schema}.actions WHERE namespace = $1::integer AND ($2::text IS NULL OR plan = $2::text)
      ORDER BY id DESC LIMIT $3::bigint OFFSET $4::bigint) AS a
LEFT JOIN LATERAL {schema}.action_outcomes(a.job_keys, a.created_at) AS o ON a.settled_at IS NULL
ORDER BY a.id DESC
