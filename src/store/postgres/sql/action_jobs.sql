-- One page of an action's jobs, in the order of its inputs, or backwards.
SELECT k.job FROM {schema}.actions a CROSS JOIN LATERAL unnest(a.job_keys) WITH ORDINALITY AS k (job, place)
WHERE a.id = $1::bigint
ORDER BY CASE WHEN $4::boolean THEN -k.place ELSE k.place END LIMIT $2::bigint OFFSET $3::bigint
