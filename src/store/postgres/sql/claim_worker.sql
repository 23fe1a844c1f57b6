SELECT w.session, w.state, w.revision, w.slots, w.dead_after_ms,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM {schema}.workers w WHERE w.id = $1::integer
