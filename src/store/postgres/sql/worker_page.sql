-- Workers of a namespace behind a name, in the order of bytes. Columns as in worker_read.sql. No states: all.
SELECT w.id, w.namespace, w.name, w.session, w.state, w.revision, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, w.completed, w.failed, w.stats, b.seen_at, b.completed, b.failed, b.stats,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM (SELECT * FROM {schema}.workers
      WHERE namespace = $1::integer AND name COLLATE "C" > $2::text AND (cardinality($3::smallint[]) = 0 OR state = ANY($3::smallint[]))
      ORDER BY name COLLATE "C" LIMIT $4::bigint) AS w
LEFT JOIN {schema}.beats b ON b.worker = w.id
ORDER BY w.name COLLATE "C"
