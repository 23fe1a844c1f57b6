-- Live workers are as good as seen: they get their full time to be heard.
INSERT INTO {schema}.beats AS b (worker, seen_at, completed, failed, stats)
SELECT id, {schema}.now_ms(), completed, failed, stats FROM {schema}.workers WHERE state < 2 ORDER BY id
ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, completed = excluded.completed, failed = excluded.failed, stats = excluded.stats
