INSERT INTO {schema}.plans (namespace, name, text, description, tasks, needs, created_at)
VALUES ($1::integer, $2::text, $3::bytea, $4::bytea, $5::integer, $6::bytea, $7::bigint)
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id
