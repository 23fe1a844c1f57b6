-- The live workers of a namespace with their load, by name.
SELECT w.name, w.state, w.slots, w.spec, coalesce(held.jobs, 0)
FROM {schema}.workers w
LEFT JOIN (SELECT worker, count(*) AS jobs FROM {schema}.running GROUP BY worker) AS held ON held.worker = w.id
WHERE w.namespace = $1::integer AND w.state < 2
ORDER BY w.name COLLATE "C"
