-- The namespaces whose gates are needed when these workers give up what they have: bonds, and running jobs with wishes.
SELECT DISTINCT w.namespace
FROM {schema}.workers w
WHERE w.id = ANY($1::integer[])
  AND (EXISTS (SELECT 1 FROM {schema}.sticky s WHERE s.worker = w.id)
       OR EXISTS (SELECT 1 FROM {schema}.running r WHERE r.worker = w.id AND r.special))
