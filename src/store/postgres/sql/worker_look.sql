-- Which of these workers there are, without waiting for anybody.
SELECT a.ord, w.id, w.state, w.session
FROM unnest($1::integer[], $2::text[]) WITH ORDINALITY AS a (namespace, name, ord)
JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name
