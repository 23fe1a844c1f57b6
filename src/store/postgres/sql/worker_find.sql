SELECT id FROM {schema}.workers WHERE namespace = $1::integer AND name = $2::text
