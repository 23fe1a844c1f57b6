-- A preference that is over is not looked at again.
UPDATE {schema}.wishes SET prefer = NULL WHERE job = ANY($1::bigint[]) AND prefer_until <= {schema}.now_ms()
