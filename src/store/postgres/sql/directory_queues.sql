SELECT id, namespace, name, settings FROM {schema}.queues ORDER BY id
