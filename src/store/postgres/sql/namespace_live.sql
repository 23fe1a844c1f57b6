-- Does any job that waits, runs or is dead stand in one of these lanes? And the last key that was given out so far.
SELECT EXISTS (SELECT 1 FROM {schema}.waiting WHERE lane = ANY($1::integer[]))
         OR EXISTS (SELECT 1 FROM {schema}.running WHERE lane = ANY($1::integer[]))
         OR EXISTS (SELECT 1 FROM {schema}.dead WHERE lane = ANY($1::integer[])),
       (SELECT last_value FROM {schema}.job_keys)
