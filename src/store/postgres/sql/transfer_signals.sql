-- Until their contents pass $4 bytes.
SELECT s.job, s.place, s.flags, s.name, s.data
FROM (
  SELECT p.*, sum(octet_length(p.data)) OVER (ORDER BY p.job, p.place) - octet_length(p.data) AS before
  FROM (SELECT * FROM {schema}.signals WHERE (job, place) > ($1::bigint, $2::bigint) ORDER BY job, place LIMIT $3::bigint) AS p
) AS s
WHERE s.before < $4::bigint ORDER BY s.job, s.place
