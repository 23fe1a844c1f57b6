SELECT w.id, n.name, w.name, w.session, w.state, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause, w.drain_deadline,
  w.drain_reason, w.completed, w.failed, w.stats
FROM workers w JOIN namespaces n ON n.id = w.namespace
WHERE w.id > ?1 ORDER BY w.id LIMIT ?2
