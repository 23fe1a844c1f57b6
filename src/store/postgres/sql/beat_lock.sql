SELECT worker, seen_at, completed, failed, stats FROM {schema}.beats WHERE worker = ANY($1::integer[]) ORDER BY worker FOR UPDATE
