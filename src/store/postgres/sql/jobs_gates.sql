-- The namespaces whose gates these jobs need, those of the jobs that wait for them included.
SELECT DISTINCT w.namespace
FROM {schema}.wishes w
WHERE (w.job = ANY($1::bigint[]) OR w.job IN (SELECT d.job FROM {schema}.dependencies d WHERE d.after = ANY($1::bigint[])))
  AND (w.concurrency_key IS NOT NULL OR w.sticky_key IS NOT NULL OR w.prefer IS NOT NULL OR w.fair_lane IS NOT NULL)
