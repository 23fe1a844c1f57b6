INSERT INTO {schema}.queues (namespace, name, settings, gated)
SELECT u.namespace, u.name, u.settings, u.gated
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::boolean[]) WITH ORDINALITY AS u (namespace, name, settings, gated, ord)
ORDER BY u.ord
RETURNING id, namespace, name
