-- No claim is half way: one that began before a cap was set must not stay uncounted.
LOCK TABLE {schema}.running IN SHARE ROW EXCLUSIVE MODE
