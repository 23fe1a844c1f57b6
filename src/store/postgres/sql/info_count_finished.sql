SELECT (SELECT count(*) FROM {schema}.history) + (SELECT count(*) FROM {schema}.dead)
