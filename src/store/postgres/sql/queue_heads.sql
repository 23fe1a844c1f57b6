-- How many jobs stand ready in each of these lanes, counted up to $2.
SELECT l.lane, (SELECT count(*) FROM (SELECT 1 FROM {schema}.waiting w WHERE w.place = 1 AND w.stand = l.lane LIMIT $2::bigint) AS heads)
FROM unnest($1::integer[]) AS l (lane)
