-- Who waited for these jobs; one row less to wait for.
DELETE FROM {schema}.dependencies WHERE after = ANY($1::bigint[]) RETURNING job, after
