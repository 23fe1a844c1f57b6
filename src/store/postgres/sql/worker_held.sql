-- Ready jobs that stand in lanes made for one of these capabilities. A lane too many is harmless: its jobs take the same place again.
SELECT j.id
FROM unnest($1::integer[], $2::bytea[]) AS u (namespace, need)
JOIN {schema}.queues q ON q.namespace = u.namespace
JOIN {schema}.lanes l ON l.queue = q.id AND l.home IS NOT NULL AND position(u.need IN l.needs) > 0
JOIN {schema}.waiting j ON j.stand = l.id AND j.stand <> j.lane
WHERE j.place = 1
