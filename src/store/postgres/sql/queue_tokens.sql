SELECT id, tokens, filled_at FROM {schema}.queues WHERE id = ANY($1::integer[]) ORDER BY id FOR UPDATE
