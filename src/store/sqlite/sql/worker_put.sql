INSERT OR REPLACE INTO workers (id, namespace, name, session, state, spec, registered_at, last_seen_at, offline_at, offline_cause,
  drain_deadline, drain_reason, completed, failed, stats)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
