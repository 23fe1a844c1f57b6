SELECT id, revision FROM {schema}.workers WHERE namespace = $1::integer AND state = 0
