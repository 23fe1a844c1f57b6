-- What runs under caps, by lane.
SELECT lane, count(*) FROM {schema}.running WHERE counted AND lane = ANY($1::integer[]) GROUP BY lane
