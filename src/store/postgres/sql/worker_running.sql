SELECT worker, count(*) FROM {schema}.running WHERE worker = ANY($1::integer[]) GROUP BY worker
