-- Until their values pass $4 bytes.
SELECT s.key, s.position, s.value
FROM (
  SELECT i.*, sum(octet_length(i.value)) OVER (ORDER BY i.key, i.position) - octet_length(i.value) AS before
  FROM (SELECT * FROM {schema}.key_items WHERE (key, position) > ($1::bigint, $2::bigint) ORDER BY key, position LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.position
