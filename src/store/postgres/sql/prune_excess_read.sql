SELECT value FROM {schema}.meta WHERE name = 'finished_excess'
