-- Everything of these workers that changes. A NULL session opens a new one.
UPDATE {schema}.workers w
SET session = coalesce(u.session, nextval('{schema}.fences')), state = u.state, revision = nextval('{schema}.fences'), slots = u.slots,
    dead_after_ms = u.dead_after_ms, spec = u.spec, registered_at = u.registered_at, last_seen_at = u.last_seen_at,
    offline_at = u.offline_at, offline_cause = u.offline_cause, drain_deadline = u.drain_deadline, drain_reason = u.drain_reason,
    completed = u.completed, failed = u.failed, stats = u.stats
FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::integer[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::text[], $11::bigint[], $12::bytea[], $13::bigint[], $14::bigint[], $15::bytea[])
     AS u (id, session, state, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline,
           drain_reason, completed, failed, stats)
WHERE w.id = u.id
RETURNING w.id, w.session, w.revision
