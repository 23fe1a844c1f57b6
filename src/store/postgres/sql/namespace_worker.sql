SELECT name FROM {schema}.workers WHERE namespace = $1::integer ORDER BY name COLLATE "C" LIMIT 1
