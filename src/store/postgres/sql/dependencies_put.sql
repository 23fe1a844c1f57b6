INSERT INTO {schema}.dependencies (job, after) SELECT * FROM unnest($1::bigint[], $2::bigint[])
