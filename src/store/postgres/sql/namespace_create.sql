INSERT INTO {schema}.namespaces (name, description, created_at, display_name, enabled, updated_at)
VALUES ($1::text, $2::bytea, $3::bigint, $4::bytea, $5::boolean, $3::bigint)
ON CONFLICT (name) DO NOTHING
RETURNING id
