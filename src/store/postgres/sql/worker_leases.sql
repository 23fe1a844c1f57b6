SELECT id FROM {schema}.running WHERE worker = ANY($1::integer[]) ORDER BY id
