-- Finished jobs by their arrival, the dead among them. The fixed number (kPassRowsMax) tells the planner that it is about few rows.
SELECT o.id, o.finished_at, o.is_dead
FROM ((SELECT id, finished_at, false AS is_dead FROM {schema}.history ORDER BY id LIMIT 2000)
      UNION ALL
      (SELECT id, finished_at, true FROM {schema}.dead ORDER BY id LIMIT 2000)) AS o
ORDER BY o.id LIMIT $1::bigint
