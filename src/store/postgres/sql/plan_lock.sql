SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer AND name = $2::text FOR UPDATE
