SELECT DISTINCT worker FROM {schema}.sticky WHERE worker = ANY($1::integer[])
