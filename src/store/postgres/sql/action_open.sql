-- Open actions behind $1, at most $2 of them, and which of these have no live job.
SELECT a.id, NOT EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.waiting w ON w.id = k.id)
         AND NOT EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.running r ON r.id = k.id)
FROM (SELECT id, job_keys FROM {schema}.actions WHERE settled_at IS NULL AND id > $1::bigint ORDER BY id LIMIT $2::bigint) AS a
ORDER BY a.id
