INSERT INTO {schema}.namespaces (name, description, created_at) VALUES ($1::text, $2::bytea, $3::bigint)
ON CONFLICT (name) DO NOTHING
RETURNING id
