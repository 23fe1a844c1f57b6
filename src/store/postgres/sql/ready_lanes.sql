SELECT l.id FROM {schema}.lanes l
WHERE EXISTS (SELECT 1 FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = 1)
