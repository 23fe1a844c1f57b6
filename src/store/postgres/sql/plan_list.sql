-- Oldest first. $4: with the text.
SELECT id, name, CASE WHEN $4::boolean THEN text ELSE ''::bytea END, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer ORDER BY id LIMIT $2::bigint OFFSET $3::bigint
