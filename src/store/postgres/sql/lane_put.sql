INSERT INTO {schema}.lanes (queue, type, needs, special, home)
SELECT q.id, $3::text, $4::bytea, $5::boolean, nullif($6::integer, 0)
FROM {schema}.queues q WHERE q.namespace = $1::integer AND q.name = $2::text
ON CONFLICT (queue, type, md5(needs), special, coalesce(home, 0)) DO NOTHING
