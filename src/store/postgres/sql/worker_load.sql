SELECT id, namespace, name, session, state, revision, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
       drain_reason
FROM {schema}.workers WHERE id = $1::integer
