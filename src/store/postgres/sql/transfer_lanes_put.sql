INSERT INTO {schema}.lanes (queue, type, needs, special)
SELECT u.queue, u.type, u.needs, u.special
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::boolean[]) WITH ORDINALITY AS u (queue, type, needs, special, ord) ORDER BY u.ord
RETURNING id, queue, type, needs, special
