-- Idempotency keys of jobs of a day that is about to go whole. From the side of the keys, since most jobs have none.
WITH span AS MATERIALIZED (
  SELECT min(id) AS low, max(id) AS high FROM {schema}.history WHERE finished_at >= $1::bigint AND finished_at < $2::bigint
)
DELETE FROM {schema}.idempotency
WHERE ctid = ANY(ARRAY(
  SELECT k.at
  FROM span CROSS JOIN LATERAL (
    SELECT i.ctid AS at, i.job FROM {schema}.idempotency i WHERE i.job BETWEEN span.low AND span.high OFFSET 0) AS k
  WHERE EXISTS (SELECT 1 FROM {schema}.history h
                WHERE h.id = k.job AND h.finished_at >= $1::bigint AND h.finished_at < $2::bigint OFFSET 0)
  LIMIT $3::bigint))
