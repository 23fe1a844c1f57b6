-- Nobody could be heard for a while. Every live worker has at least a third of its time left, which is a beat; so have the leases that
-- follow its beats.
WITH late AS (
  SELECT b.worker, {schema}.now_ms() - w.dead_after_ms + w.dead_after_ms / 3 AS seen_at
  FROM {schema}.beats b JOIN {schema}.workers w ON w.id = b.worker AND w.state < 2
  WHERE b.seen_at < {schema}.now_ms() - w.dead_after_ms + w.dead_after_ms / 3
  ORDER BY b.worker FOR UPDATE OF b
)
UPDATE {schema}.beats b SET seen_at = late.seen_at FROM late WHERE b.worker = late.worker
