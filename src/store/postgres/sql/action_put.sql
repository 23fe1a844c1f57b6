INSERT INTO {schema}.actions (namespace, name, plan, created_at, jobs, first_job, last_job, job_keys)
VALUES ($1::integer, $2::text, $3::text, $4::bigint, $5::integer, $6::bigint, $7::bigint, $8::bigint[])
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id
