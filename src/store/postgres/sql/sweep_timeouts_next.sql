SELECT min(times_out_at) FROM {schema}.running WHERE times_out_at IS NOT NULL
