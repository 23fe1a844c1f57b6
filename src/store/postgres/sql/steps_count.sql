-- How many attempts each of these runs has.
SELECT u.job, coalesce((SELECT max(s.place) FROM {schema}.steps s WHERE s.job = u.job), 0)
FROM unnest($1::bigint[]) AS u (job)
