SELECT min(run_at) FROM {schema}.waiting WHERE place = 0
