-- The next job key and the next fence, unless the numbers are there already.
SELECT CASE WHEN $1::bigint > 1 THEN setval('{schema}.job_keys', $1::bigint - 1) END,
       CASE WHEN $2::bigint > 1 THEN setval('{schema}.fences', $2::bigint - 1) END
