-- In the order of their digests, which is the one an index has for all of them. Until they pass $4 bytes.
SELECT s.key, s.place, s.name, s.value
FROM (
  SELECT i.*, sum(octet_length(i.name) + octet_length(i.value)) OVER (ORDER BY i.key, i.place) - (octet_length(i.name) + octet_length(i.value)) AS before
  FROM (SELECT *, sha256(name) AS place FROM {schema}.key_fields
        WHERE (key, sha256(name)) > ($1::bigint, $2::bytea) ORDER BY key, sha256(name) LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.place
