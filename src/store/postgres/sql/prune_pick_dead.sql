SELECT id FROM {schema}.dead WHERE finished_at <= $1::bigint ORDER BY finished_at LIMIT $2::bigint
