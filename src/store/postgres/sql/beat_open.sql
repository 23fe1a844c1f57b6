-- Workers that registered are seen; those of $2 begin a session, and count from zero.
INSERT INTO {schema}.beats AS b (worker, seen_at, node)
SELECT u.worker, {schema}.now_ms(), $3::text FROM unnest($1::integer[]) AS u (worker) ORDER BY u.worker
ON CONFLICT (worker) DO UPDATE
SET seen_at = greatest(b.seen_at, excluded.seen_at), node = excluded.node,
    completed = CASE WHEN b.worker = ANY($2::integer[]) THEN 0 ELSE b.completed END,
    failed = CASE WHEN b.worker = ANY($2::integer[]) THEN 0 ELSE b.failed END,
    stats = CASE WHEN b.worker = ANY($2::integer[]) THEN '' ELSE b.stats END
