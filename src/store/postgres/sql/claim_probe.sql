-- Whether anything waits in these lanes.
SELECT EXISTS (SELECT 1 FROM unnest($1::integer[]) AS l (id) CROSS JOIN LATERAL (
  SELECT 1 FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = 1 LIMIT 1) AS head)
