-- The live jobs of every lane at $1: scheduled, ready, the due time of the one that has been ready longest, running.
SELECT w.lane, count(*) FILTER (WHERE NOT w.ready), count(*) FILTER (WHERE w.ready), min(w.run_at) FILTER (WHERE w.ready), 0::bigint
FROM (SELECT lane, run_at, place IN (1, 2) OR (place = 0 AND run_at <= $1::bigint) AS ready FROM {schema}.waiting) AS w
GROUP BY w.lane
UNION ALL
SELECT r.lane, 0::bigint, 0::bigint, NULL::bigint, count(*) FROM {schema}.running r GROUP BY r.lane
