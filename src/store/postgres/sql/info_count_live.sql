SELECT (SELECT count(*) FROM {schema}.waiting) + (SELECT count(*) FROM {schema}.running)
