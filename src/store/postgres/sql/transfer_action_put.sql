INSERT INTO {schema}.actions (namespace, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled, first_job, last_job,
                              job_keys)
VALUES ($1::integer, $2::text, $3::text, $4::bigint, $5::integer, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint,
        $12::bigint, $13::bigint[])
