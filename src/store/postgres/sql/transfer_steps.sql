-- Until their contents pass $4 bytes. Columns as step_rows.h says, then the namespace of the run.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output, n.name
FROM (
  SELECT p.*, sum(p.size) OVER (ORDER BY p.job, p.place) - p.size AS before
  FROM (SELECT *, coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) AS size FROM {schema}.steps
        WHERE (job, place) > ($1::bigint, $2::bigint) ORDER BY job, place LIMIT $3::bigint) AS p
) AS s
LEFT JOIN LATERAL (SELECT j.lane FROM {schema}.jobs j WHERE j.id = s.job LIMIT 1) AS j ON true
LEFT JOIN {schema}.lanes l ON l.id = j.lane
LEFT JOIN {schema}.queues q ON q.id = l.queue
LEFT JOIN {schema}.namespaces n ON n.id = q.namespace
WHERE s.before < $4::bigint ORDER BY s.job, s.place
