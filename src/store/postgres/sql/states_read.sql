SELECT id, (CASE WHEN place IN (1, 2) OR (place = 0 AND run_at <= {schema}.now_ms()) THEN 1 ELSE 0 END)::smallint
FROM {schema}.waiting WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, 2::smallint FROM {schema}.running WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, state FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL SELECT id, state FROM {schema}.history WHERE id = ANY($1::bigint[])
