SELECT n.name, n.address, n.version, n.started_at, n.seen_at, n.listening, n.pending, n.notify_lag_ms, coalesce(live.workers, 0)
FROM {schema}.nodes n
LEFT JOIN (
  SELECT b.node, count(*) AS workers
  FROM {schema}.beats b JOIN {schema}.workers w ON w.id = b.worker AND w.state < 2
  GROUP BY b.node
) AS live ON live.node = n.name
ORDER BY n.name COLLATE "C"
