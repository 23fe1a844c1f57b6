-- name: directory_bump
-- By a step of chance: a node may have read names under a version that was never committed, and must not meet it again with other names.
UPDATE {schema}.meta SET value = (value::bigint + 1 + floor(random() * 1000000000)::bigint)::text WHERE name = 'directory_version'

-- name: directory_lanes
SELECT id, queue, type, needs, special, home FROM {schema}.lanes ORDER BY id

-- name: directory_namespaces
SELECT id, name, description, created_at, display_name, enabled, coalesce(updated_at, created_at) FROM {schema}.namespaces ORDER BY id

-- name: directory_queues
SELECT id, namespace, name, settings FROM {schema}.queues ORDER BY id

-- name: directory_version
-- Grows with every change of namespaces, queues or lanes; a node that knows an older one reads them anew.
SELECT value::bigint FROM {schema}.meta WHERE name = 'directory_version'

-- name: lane_put
INSERT INTO {schema}.lanes (queue, type, needs, special, home)
SELECT q.id, $3::text, $4::bytea, $5::boolean, nullif($6::integer, 0)
FROM {schema}.queues q WHERE q.namespace = $1::integer AND q.name = $2::text
ON CONFLICT (queue, type, md5(needs), special, coalesce(home, 0)) DO NOTHING

-- name: live_lanes
SELECT count(*) FROM (SELECT lane FROM {schema}.waiting UNION SELECT lane FROM {schema}.running LIMIT $1::bigint) AS live

-- name: ready_lanes
SELECT l.id FROM {schema}.lanes l
WHERE EXISTS (SELECT 1 FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = {place.ready})
