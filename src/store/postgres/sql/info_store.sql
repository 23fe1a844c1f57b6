-- The schema's version, its size on disk, and about how many jobs live and are finished, as the last ANALYZE of each table saw it.
SELECT (SELECT value::bigint FROM {schema}.meta WHERE name = 'schema_version'), coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint,
       coalesce(sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relname IN ('waiting', 'running')), 0)::bigint,
       coalesce(sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relname = 'dead' OR c.relispartition), 0)::bigint
FROM pg_class c
WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r'
