SELECT (SELECT value FROM {schema}.meta WHERE name = 'salt'), coalesce(pg_sequence_last_value('{schema}.job_keys'::regclass) + 1, 1),
       coalesce(pg_sequence_last_value('{schema}.fences'::regclass) + 1, 1)
