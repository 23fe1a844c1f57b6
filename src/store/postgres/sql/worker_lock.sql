SELECT id, namespace, name, session, state, revision, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
       drain_reason, completed, failed, stats
FROM {schema}.workers WHERE id = ANY($1::integer[]) ORDER BY id FOR UPDATE
