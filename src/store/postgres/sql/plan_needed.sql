-- An action of the plan with a job that is not finished.
SELECT a.name FROM {schema}.actions a
WHERE a.namespace = $1::integer AND a.plan = $2::text AND a.settled_at IS NULL
  AND (EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.waiting w ON w.id = k.id)
       OR EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.running r ON r.id = k.id))
LIMIT 1
