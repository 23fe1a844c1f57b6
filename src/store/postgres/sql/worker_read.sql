-- The first columns are those of worker_lock.sql.
SELECT w.id, w.namespace, w.name, w.session, w.state, w.revision, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, w.completed, w.failed, w.stats, b.seen_at, b.completed, b.failed, b.stats,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM unnest($1::integer[], $2::text[]) AS a (namespace, name)
JOIN {schema}.workers w ON w.namespace = a.namespace AND w.name = a.name
LEFT JOIN {schema}.beats b ON b.worker = w.id
