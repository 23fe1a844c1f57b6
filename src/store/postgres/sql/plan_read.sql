SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer AND name = ANY($2::text[])
