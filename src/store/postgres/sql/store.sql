-- name: begin
BEGIN

-- name: commit
COMMIT

-- name: gate
-- One transaction at a time in each of these namespaces, until the commit. The first number sets our locks apart from others'.
SELECT pg_advisory_xact_lock(hashtext('{schema}'), ns) FROM (SELECT unnest($1::integer[]) AS ns ORDER BY 1) AS namespaces

-- name: head
-- The time of this transaction, and whether the names a node remembers are still right.
SELECT {schema}.now_ms(), (SELECT value::bigint FROM {schema}.meta WHERE name = 'directory_version')

-- name: probe
INSERT INTO {schema}.meta (name, value) VALUES ('probe', {schema}.now_ms()::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: rollback
ROLLBACK
