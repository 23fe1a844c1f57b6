INSERT INTO {schema}.namespaces (name, description, created_at, display_name, enabled, updated_at)
SELECT u.name, u.description, u.created_at, u.display_name, u.enabled, u.updated_at
FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[], $5::boolean[], $6::bigint[])
     WITH ORDINALITY AS u (name, description, created_at, display_name, enabled, updated_at, ord)
ORDER BY u.ord
RETURNING id, name
