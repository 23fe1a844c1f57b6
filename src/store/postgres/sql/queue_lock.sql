SELECT id, settings FROM {schema}.queues WHERE namespace = $1::integer AND name = $2::text FOR UPDATE
