DELETE FROM {schema}.idempotency WHERE job = ANY($1::bigint[])
