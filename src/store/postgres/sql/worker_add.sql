-- Names that are taken meanwhile do not come back.
INSERT INTO {schema}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, last_seen_at)
SELECT u.namespace, u.name, nextval('{schema}.fences'), 0, nextval('{schema}.fences'), u.slots, u.dead_after_ms, u.spec,
       {schema}.now_ms(), {schema}.now_ms()
FROM (SELECT * FROM unnest($1::integer[], $2::text[], $3::integer[], $4::bigint[], $5::text[])
               AS u (namespace, name, slots, dead_after_ms, spec) ORDER BY namespace, name) AS u
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id, namespace, name, session, revision
