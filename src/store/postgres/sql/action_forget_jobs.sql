-- Finished jobs of open actions are gone: from now on they count here. Counts that are final hold them already.
UPDATE {schema}.actions a
SET completed = a.completed + o.completed, failed = a.failed + o.failed, dead = a.dead + o.dead, cancelled = a.cancelled + o.cancelled
FROM (
  SELECT b.id, count(*) FILTER (WHERE u.outcome = 2) AS completed, count(*) FILTER (WHERE u.outcome = 3) AS failed,
         count(*) FILTER (WHERE u.outcome = 4) AS dead, count(*) FILTER (WHERE u.outcome = 5) AS cancelled
  FROM {schema}.actions b
  CROSS JOIN LATERAL unnest(b.job_keys) AS k (job)
  JOIN unnest($1::bigint[], $2::smallint[]) AS u (job, outcome) ON u.job = k.job
  WHERE b.settled_at IS NULL AND b.first_job <= $4::bigint AND b.last_job >= $3::bigint
  GROUP BY b.id
) AS o
WHERE a.id = o.id AND a.settled_at IS NULL
