-- The action that made this job, if it is there: nobody settles it until the commit.
SELECT id, settled_at FROM {schema}.actions
WHERE namespace = $1::integer AND name = $2::text AND $3::bigint = ANY(job_keys) FOR UPDATE
