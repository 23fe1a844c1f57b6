INSERT INTO {schema}.namespaces (name, description, created_at)
SELECT u.name, u.description, u.created_at
FROM unnest($1::text[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS u (name, description, created_at, ord) ORDER BY u.ord
RETURNING id, name
