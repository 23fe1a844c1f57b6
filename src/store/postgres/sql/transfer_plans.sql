-- Until their texts pass $3 bytes.
SELECT s.id, s.namespace_name, s.name, s.text, s.description, s.tasks, s.needs, s.created_at, s.last_used_at, s.actions, s.jobs
FROM (
  SELECT p.*, sum(octet_length(p.text)) OVER (ORDER BY p.id) - octet_length(p.text) AS before
  FROM (SELECT p.*, n.name AS namespace_name FROM {schema}.plans p JOIN {schema}.namespaces n ON n.id = p.namespace
        WHERE p.id > $1::bigint ORDER BY p.id LIMIT $2::bigint) AS p
) AS s
WHERE s.before < $3::bigint ORDER BY s.id
