SELECT id, namespace, name, settings FROM queues ORDER BY id
