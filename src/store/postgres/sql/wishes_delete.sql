DELETE FROM {schema}.wishes WHERE job = ANY($1::bigint[])
