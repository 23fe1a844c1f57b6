-- The days of history, the oldest first: name, first instant, first instant of the next one, and how many rows it has by the last estimate.
SELECT c.relname::text, substring(e.bound FROM 'FROM \(''?(\d+)''?\)')::bigint, substring(e.bound FROM 'TO \(''?(\d+)''?\)')::bigint,
       greatest(c.reltuples, 0)::bigint
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) AS e
WHERE i.inhparent = '{schema}.history'::regclass AND e.bound LIKE 'FOR VALUES FROM%'
ORDER BY 2
