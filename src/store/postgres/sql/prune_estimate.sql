-- How many finished jobs there are, by the server's own statistics; 0 for what it has not looked at yet.
SELECT coalesce(sum(pg_stat_get_live_tuples(t.relid)), 0)::bigint
FROM (SELECT inhrelid AS relid FROM pg_inherits WHERE inhparent = '{schema}.history'::regclass
      UNION ALL SELECT '{schema}.dead'::regclass) AS t
