-- Steps of completed runs of a day that is about to go whole, as prune_day_keys.sql. A cancelled run may still be re-driven and then needs
-- its own: those go when nobody can come in between any more (prune_drop_day.sql).
WITH span AS MATERIALIZED (
  SELECT min(id) AS low, max(id) AS high FROM {schema}.history
  WHERE finished_at >= $1::bigint AND finished_at < $2::bigint AND flags & 128 <> 0 AND state = 3
)
DELETE FROM {schema}.steps
WHERE ctid = ANY(ARRAY(
  SELECT k.at
  FROM span CROSS JOIN LATERAL (
    SELECT s.ctid AS at, s.job FROM {schema}.steps s WHERE s.job BETWEEN span.low AND span.high OFFSET 0) AS k
  WHERE EXISTS (SELECT 1 FROM {schema}.history h
                WHERE h.id = k.job AND h.finished_at >= $1::bigint AND h.finished_at < $2::bigint AND h.state = 3 OFFSET 0)
  LIMIT $3::bigint))
