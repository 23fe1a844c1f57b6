-- Until their values pass $3 bytes.
SELECT s.id, n.name, s.space, s.name, s.type, s.expires_at, s.count, s.head, s.tail, s.value
FROM (
  SELECT k.*, sum(k.size) OVER (ORDER BY k.id) - k.size AS before
  FROM (SELECT *, octet_length(name) + coalesce(octet_length(value), 0) AS size FROM {schema}.keys
        WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS k
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id
