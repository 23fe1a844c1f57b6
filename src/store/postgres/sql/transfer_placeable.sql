-- Ready jobs whose place depends on others: on who lives, and on keys that are held.
SELECT w.id
FROM {schema}.waiting w JOIN {schema}.wishes s ON s.job = w.id
WHERE w.id > $1::bigint AND w.place IN (1, 2) AND (s.concurrency_key IS NOT NULL OR s.sticky_key IS NOT NULL OR s.prefer IS NOT NULL)
ORDER BY w.id LIMIT $2::bigint
