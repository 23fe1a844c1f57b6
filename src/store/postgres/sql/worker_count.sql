-- How many workers there are at most. Keys grow, so the highest one answers it while it leaves room ($1); then they are counted.
SELECT CASE WHEN coalesce(max(id), 0) <= $1::bigint THEN coalesce(max(id), 0)::bigint
            ELSE (SELECT count(*) FROM {schema}.workers) END
FROM {schema}.workers
