-- The planner has not seen these tables full yet. A role that does not own them leaves it to autovacuum.
ANALYZE {schema}.waiting, {schema}.running, {schema}.dead, {schema}.history, {schema}.wishes, {schema}.workers, {schema}.lanes
