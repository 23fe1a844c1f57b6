DELETE FROM {schema}.beats WHERE worker = ANY($1::integer[])
