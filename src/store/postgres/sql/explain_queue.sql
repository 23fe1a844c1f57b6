-- What caps and rate of a queue are judged by: running jobs, those of one type, the bucket.
SELECT (SELECT count(*) FROM {schema}.running r JOIN {schema}.lanes l ON l.id = r.lane WHERE l.queue = q.id),
       (SELECT count(*) FROM {schema}.running r JOIN {schema}.lanes l ON l.id = r.lane WHERE l.queue = q.id AND l.type = $2::text),
       q.tokens, q.filled_at
FROM {schema}.queues q
WHERE q.id = $1::integer
