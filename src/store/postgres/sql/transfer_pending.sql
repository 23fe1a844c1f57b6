-- How many unfinished jobs each of these waits for.
UPDATE {schema}.wishes w SET pending = (SELECT count(*) FROM {schema}.dependencies d WHERE d.job = w.job) WHERE w.job = ANY($1::bigint[])
