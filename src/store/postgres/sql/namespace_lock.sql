-- No new job arrives until the commit.
LOCK TABLE {schema}.waiting IN SHARE MODE
