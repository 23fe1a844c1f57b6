-- In the order of their digests, which is the one an index has for all of them. Until they pass $4 bytes.
SELECT s.key, s.place, s.member, s.score
FROM (
  SELECT i.*, sum(octet_length(i.member)) OVER (ORDER BY i.key, i.place) - (octet_length(i.member)) AS before
  FROM (SELECT *, sha256(member) AS place FROM {schema}.key_scores
        WHERE (key, sha256(member)) > ($1::bigint, $2::bytea) ORDER BY key, sha256(member) LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.place
