DELETE FROM {schema}.namespaces WHERE id = $1::integer
