-- Rows of nodes that ended without leaving. A row somebody is writing belongs to a node that lives.
DELETE FROM {schema}.nodes
WHERE name = ANY(ARRAY(
  SELECT name FROM {schema}.nodes WHERE seen_at <= {schema}.now_ms() - $1::bigint FOR UPDATE SKIP LOCKED))
