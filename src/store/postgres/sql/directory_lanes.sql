SELECT id, queue, type, needs, special, home FROM {schema}.lanes ORDER BY id
