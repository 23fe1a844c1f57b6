INSERT INTO {schema}.beats (worker, seen_at)
SELECT w.id, {schema}.now_ms() FROM {schema}.workers w
WHERE w.state < 2 AND NOT EXISTS (SELECT 1 FROM {schema}.beats b WHERE b.worker = w.id)
ORDER BY w.id
ON CONFLICT (worker) DO NOTHING
