-- One transaction at a time in each of these namespaces, until the commit. The first number sets our locks apart from others'.
SELECT pg_advisory_xact_lock(hashtext('{schema}'), ns) FROM (SELECT unnest($1::integer[]) AS ns ORDER BY 1) AS namespaces
