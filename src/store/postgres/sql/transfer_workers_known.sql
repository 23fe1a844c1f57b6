SELECT id, namespace, name, dead_after_ms FROM {schema}.workers ORDER BY id
