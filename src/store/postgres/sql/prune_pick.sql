SELECT id, finished_at FROM {schema}.history WHERE finished_at >= $1::bigint AND finished_at <= $2::bigint LIMIT $3::bigint
