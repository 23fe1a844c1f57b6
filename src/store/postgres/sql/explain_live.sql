-- Where a live job stands, and what it wishes for.
SELECT l.place, l.stand, l.rank, wishes.namespace, wishes.concurrency_key, wishes.concurrency_limit, wishes.sticky_key, wishes.prefer,
       wishes.prefer_until
FROM (
  SELECT id, place, stand, rank FROM {schema}.waiting WHERE id = $1::bigint
  UNION ALL
  SELECT id, NULL::smallint, lane, rank FROM {schema}.running WHERE id = $1::bigint
) AS l
LEFT JOIN {schema}.wishes ON wishes.job = l.id
