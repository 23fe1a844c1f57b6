DELETE FROM {schema}.dead WHERE id = ANY($1::bigint[]) AND finished_at <= $2::bigint RETURNING id
