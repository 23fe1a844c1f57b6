SELECT count(*) FROM (SELECT 1 FROM {schema}.history UNION ALL SELECT 1 FROM {schema}.dead LIMIT $1::bigint) AS finished
