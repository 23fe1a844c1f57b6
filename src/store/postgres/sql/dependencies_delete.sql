DELETE FROM {schema}.dependencies WHERE job = ANY($1::bigint[])
