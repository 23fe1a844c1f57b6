SELECT min(drain_deadline) FROM {schema}.workers WHERE state = 1
