-- The session stands for the first revision: later ones come from the same numbers and are greater.
INSERT INTO {schema}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at,
                              offline_cause, drain_deadline, drain_reason, completed, failed, stats)
SELECT u.namespace, u.name, u.session, u.state, u.session, u.slots, u.dead_after_ms, u.spec, u.registered_at, u.last_seen_at, u.offline_at,
       u.offline_cause, u.drain_deadline, u.drain_reason, u.completed, u.failed, u.stats
FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::smallint[], $5::integer[], $6::bigint[], $7::text[], $8::bigint[], $9::bigint[],
            $10::bigint[], $11::text[], $12::bigint[], $13::bytea[], $14::bigint[], $15::bigint[], $16::bytea[]) WITH ORDINALITY
     AS u (namespace, name, session, state, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at, offline_cause,
           drain_deadline, drain_reason, completed, failed, stats, ord)
ORDER BY u.ord
RETURNING id, namespace, name, dead_after_ms
