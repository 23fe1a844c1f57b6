SELECT count(*) FROM {schema}.plans WHERE namespace = $1::integer
