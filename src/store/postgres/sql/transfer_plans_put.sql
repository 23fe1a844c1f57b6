INSERT INTO {schema}.plans (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs)
SELECT u.namespace, u.name, u.text, u.description, u.tasks, u.needs, u.created_at, u.last_used_at, u.actions, u.jobs
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::bytea[], $5::integer[], $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::bigint[])
     WITH ORDINALITY AS u (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs, ord)
ORDER BY u.ord
