-- Only while its namespace is there.
INSERT INTO {schema}.queues (namespace, name)
SELECT n.id, $2::text FROM {schema}.namespaces n WHERE n.id = $1::integer FOR KEY SHARE
ON CONFLICT (namespace, name) DO NOTHING
