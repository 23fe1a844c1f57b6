-- The oldest signals of these names, as many of each as are asked for.
SELECT s.job, s.place, s.flags, s.name, s.data
FROM unnest($1::bigint[], $2::bytea[], $3::integer[]) AS u (job, name, n)
CROSS JOIN LATERAL (SELECT * FROM {schema}.signals s WHERE s.job = u.job AND s.name = u.name ORDER BY s.place LIMIT u.n) AS s
ORDER BY s.job, s.place
