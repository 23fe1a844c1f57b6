-- Every job, wherever it is, for reading: by the nodes' lists, and by people with psql. Columns of one type in every branch, so that the
-- planner sees through the view and walks the four primary keys side by side.
-- source: 0 waiting, 1 running, 2 dead, 3 history. state: as JobState numbers it; a scheduled job that is due counts as ready, which
-- the reader has to judge by its own instant.
CREATE VIEW {schema}.jobs AS
SELECT 0::smallint AS source, id, lane, (CASE WHEN place IN (1, 2) THEN 1 ELSE 0 END)::smallint AS state, flags, priority, run_at,
       created_at, attempt, rescues, fence, worker, started_at, NULL::bigint AS finished_at, expires_at, NULL::bigint AS lease_until,
       NULL::bigint AS granted_ms, NULL::boolean AS lapsed, spec, payload, NULL::bytea AS result, error, attempts, progress, partial
FROM {schema}.waiting
UNION ALL
SELECT 1::smallint, id, lane, 2::smallint, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, NULL::bigint,
       expires_at, lease_until, granted_ms, lapsed, spec, payload, NULL::bytea, error, attempts, progress, partial
FROM {schema}.running
UNION ALL
SELECT 2::smallint, id, lane, state, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, finished_at,
       expires_at, NULL::bigint, NULL::bigint, NULL::boolean, spec, payload, result, error, attempts, progress, partial
FROM {schema}.dead
UNION ALL
SELECT 3::smallint, id, lane, state, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, finished_at,
       expires_at, NULL::bigint, NULL::bigint, NULL::boolean, spec, payload, result, error, attempts, progress, partial
FROM {schema}.history;
