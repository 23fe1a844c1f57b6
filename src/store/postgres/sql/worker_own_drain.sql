-- Workers that say they take no more work. Those that drain already are left as they are.
UPDATE {schema}.workers w SET state = 1, drain_reason = $4::bytea, revision = nextval('{schema}.fences')
FROM unnest($1::integer[], $2::text[], $3::bigint[]) AS u (namespace, name, session)
WHERE w.namespace = u.namespace AND w.name = u.name AND w.state = 0 AND (u.session IS NULL OR u.session = w.session)
RETURNING w.namespace, w.name, w.session
