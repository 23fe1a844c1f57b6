-- How many signals each of these runs keeps, and the place of the last.
SELECT u.job, count(s.place), coalesce(max(s.place), 0)
FROM unnest($1::bigint[]) AS u (job) LEFT JOIN {schema}.signals s ON s.job = u.job
GROUP BY u.job
