-- What became of jobs that are not running: state, the last event, and under which fence. A scheduled row that is due reads as ready.
SELECT id, (CASE WHEN place IN (1, 2) OR (place = 0 AND run_at <= {schema}.now_ms()) THEN 1 ELSE 0 END)::smallint, event, fence, attempt,
       run_at
FROM {schema}.waiting WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, event, fence, attempt, NULL FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, event, fence, attempt, NULL FROM {schema}.history WHERE id = ANY($1::bigint[])
