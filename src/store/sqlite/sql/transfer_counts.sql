-- In the order of transfer::Kind, and as the statements of each kind find them.
SELECT (SELECT COUNT(*) FROM namespaces), (SELECT COUNT(*) FROM queues), (SELECT COUNT(*) FROM workers),
  (SELECT COUNT(*) FROM sticky s JOIN workers w ON w.id = s.worker), (SELECT COUNT(*) FROM jobs), (SELECT COUNT(*) FROM idempotency),
  (SELECT COUNT(*) FROM dependencies), (SELECT COUNT(*) FROM plans), (SELECT COUNT(*) FROM actions),
  (SELECT COUNT(*) FROM keys k JOIN namespaces n ON n.id = k.namespace), (SELECT COUNT(*) FROM key_items),
  (SELECT COUNT(*) FROM key_fields), (SELECT COUNT(*) FROM key_scores), (SELECT COUNT(*) FROM steps), (SELECT COUNT(*) FROM signals),
  (SELECT COUNT(*) FROM schedules)
