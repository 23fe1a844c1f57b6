-- Until their keys pass $3 bytes. The keys as one piece of bytes, eight for each.
SELECT s.id, n.name, s.name, s.plan, s.created_at, s.jobs, s.settled_at, s.completed, s.failed, s.dead, s.cancelled,
       (SELECT string_agg(int8send(k.job), ''::bytea ORDER BY k.place) FROM unnest(s.job_keys) WITH ORDINALITY AS k (job, place))
FROM (
  SELECT a.*, sum(a.jobs::bigint * 8) OVER (ORDER BY a.id) - a.jobs::bigint * 8 AS before
  FROM (SELECT * FROM {schema}.actions WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS a
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id
