SELECT job, namespace, concurrency_key, concurrency_limit, sticky_key, prefer, prefer_until, fair_lane, fair_start, unique_key,
       unique_waiting, not_before, pending, run_on_failure
FROM {schema}.wishes WHERE job = ANY($1::bigint[])
