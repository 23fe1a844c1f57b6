SELECT id, finished_at FROM {schema}.history_rest WHERE finished_at <= $1::bigint LIMIT $2::bigint
