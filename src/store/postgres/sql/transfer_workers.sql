-- What a live worker's beats say is newer than its row; an offline one's row has the last word.
SELECT w.id, n.name, w.name, w.session, w.state, w.spec, w.registered_at, coalesce(b.seen_at, w.last_seen_at), w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, coalesce(b.completed, w.completed), coalesce(b.failed, w.failed), coalesce(b.stats, w.stats)
FROM {schema}.workers w
JOIN {schema}.namespaces n ON n.id = w.namespace
LEFT JOIN {schema}.beats b ON b.worker = w.id AND w.state < 2
WHERE w.id > $1::bigint ORDER BY w.id LIMIT $2::bigint
