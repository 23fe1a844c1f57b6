-- Until their contents pass $3 bytes. Columns as schedule_rows.h says, then the namespace.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload, n.name
FROM (
  SELECT p.*, sum(octet_length(p.payload)) OVER (ORDER BY p.id) - octet_length(p.payload) AS before
  FROM (SELECT * FROM {schema}.schedules WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS p
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id
