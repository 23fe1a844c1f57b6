SELECT min(prefer_until) FROM {schema}.wishes WHERE prefer IS NOT NULL
