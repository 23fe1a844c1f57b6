SELECT id, namespace, name, session, state, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline, drain_reason,
  completed, failed, stats
FROM workers ORDER BY id
