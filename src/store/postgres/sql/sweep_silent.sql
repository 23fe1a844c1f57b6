-- Live workers in the order of lists: those that are silent for too long, and at least one row, with the next death that is in sight and
-- how many a crash of the database has forgotten.
WITH living AS MATERIALIZED (
  SELECT w.id, w.namespace, w.name, b.seen_at + w.dead_after_ms AS dead_at
  FROM {schema}.workers w LEFT JOIN {schema}.beats b ON b.worker = w.id
  WHERE w.state < 2
)
SELECT s.id, t.next_at, t.forgotten
FROM (SELECT min(dead_at) FILTER (WHERE dead_at > (SELECT {schema}.now_ms())) AS next_at, count(*) FILTER (WHERE dead_at IS NULL) AS forgotten
      FROM living) AS t
LEFT JOIN (SELECT id FROM living WHERE dead_at <= (SELECT {schema}.now_ms()) ORDER BY namespace, name LIMIT $1::bigint) AS s ON true
