-- name: prune_count
SELECT count(*) FROM (SELECT 1 FROM {schema}.history UNION ALL SELECT 1 FROM {schema}.dead LIMIT $1::bigint) AS finished

-- name: prune_day_count
SELECT count(*) FROM (SELECT 1 FROM {schema}.history WHERE finished_at >= $1::bigint AND finished_at < $2::bigint LIMIT $3::bigint) AS h

-- name: prune_day_gone
SELECT to_regclass(format('{schema}.%I', $1::text)) IS NULL

-- name: prune_day_keys
-- Idempotency keys of jobs of a day that is about to go whole. From the side of the keys, since most jobs have none.
WITH span AS MATERIALIZED (
  SELECT min(id) AS low, max(id) AS high FROM {schema}.history WHERE finished_at >= $1::bigint AND finished_at < $2::bigint
)
DELETE FROM {schema}.idempotency
WHERE ctid = ANY(ARRAY(
  SELECT k.at
  FROM span CROSS JOIN LATERAL (
    SELECT i.ctid AS at, i.job FROM {schema}.idempotency i WHERE i.job BETWEEN span.low AND span.high OFFSET 0) AS k
  WHERE EXISTS (SELECT 1 FROM {schema}.history h
                WHERE h.id = k.job AND h.finished_at >= $1::bigint AND h.finished_at < $2::bigint OFFSET 0)
  LIMIT $3::bigint))

-- name: prune_day_name
-- Which day prune_drop_day.sql is about; a statement that defines things takes no parameters.
SELECT set_config('muster.day', $1::text, true)

-- name: prune_day_steps
-- Steps of completed runs of a day that is about to go whole, as prune_day_keys.sql. A cancelled run may still be re-driven and then needs
-- its own: those go when nobody can come in between any more (prune_drop_day.sql).
WITH span AS MATERIALIZED (
  SELECT min(id) AS low, max(id) AS high FROM {schema}.history
  WHERE finished_at >= $1::bigint AND finished_at < $2::bigint AND flags & {flag.run} <> 0 AND state = {state.completed}
)
DELETE FROM {schema}.steps
WHERE ctid = ANY(ARRAY(
  SELECT k.at
  FROM span CROSS JOIN LATERAL (
    SELECT s.ctid AS at, s.job FROM {schema}.steps s WHERE s.job BETWEEN span.low AND span.high OFFSET 0) AS k
  WHERE EXISTS (SELECT 1 FROM {schema}.history h
                WHERE h.id = k.job AND h.finished_at >= $1::bigint AND h.finished_at < $2::bigint AND h.state = {state.completed} OFFSET 0)
  LIMIT $3::bigint))

-- name: prune_days
-- The days of history, the oldest first: name, first instant, first instant of the next one, and how many rows it has by the last estimate.
SELECT c.relname::text, substring(e.bound FROM 'FROM \(''?(\d+)''?\)')::bigint, substring(e.bound FROM 'TO \(''?(\d+)''?\)')::bigint,
       greatest(c.reltuples, 0)::bigint
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) AS e
WHERE i.inhparent = '{schema}.history'::regclass AND e.bound LIKE 'FOR VALUES FROM%'
ORDER BY 2

-- name: prune_dead
DELETE FROM {schema}.dead WHERE id = ANY($1::bigint[]) AND finished_at <= $2::bigint
RETURNING id, (CASE WHEN {schema}.ended_by_engine(error) THEN {outcome.dead} ELSE {outcome.failed} END)::smallint

-- name: prune_drop_day
-- A whole day goes. Whoever writes history waits until the commit, so this waits for them only shortly and is done last; without the
-- rights, or when it would have to wait longer, the day stays (prune_day_gone.sql).
DO $do$
DECLARE
  waited CONSTANT text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', '200ms', true);
  BEGIN
    -- Jobs of actions that are still open count in their action from now on (action_forget_jobs.sql).
    EXECUTE format('LOCK TABLE {schema}.%I IN ACCESS EXCLUSIVE MODE', current_setting('muster.day'));
    EXECUTE format('UPDATE {schema}.actions a SET completed = a.completed + o.completed, cancelled = a.cancelled + o.cancelled
                    FROM (SELECT b.id, count(*) FILTER (WHERE h.state = {state.completed}) AS completed, count(*) FILTER (WHERE h.state <> {state.completed}) AS cancelled
                          FROM {schema}.actions b CROSS JOIN LATERAL unnest(b.job_keys) AS k (id) JOIN {schema}.%I h ON h.id = k.id
                          WHERE b.settled_at IS NULL GROUP BY b.id) AS o
                    WHERE a.id = o.id AND a.settled_at IS NULL', current_setting('muster.day'));
    EXECUTE format('DELETE FROM {schema}.steps s USING {schema}.%I h WHERE s.job = h.id AND h.state <> {state.completed}', current_setting('muster.day'));
    EXECUTE format('DELETE FROM {schema}.signals s USING {schema}.%I h WHERE s.job = h.id', current_setting('muster.day'));
    EXECUTE format('DROP TABLE {schema}.%I', current_setting('muster.day'));
  EXCEPTION
    WHEN insufficient_privilege OR lock_not_available OR undefined_table THEN NULL;
  END;
  PERFORM set_config('lock_timeout', waited, true);
END
$do$

-- name: prune_estimate
-- How many finished jobs there are, by the server's own statistics; 0 for what it has not looked at yet.
SELECT coalesce(sum(pg_stat_get_live_tuples(t.relid)), 0)::bigint
FROM (SELECT inhrelid AS relid FROM pg_inherits WHERE inhparent = '{schema}.history'::regclass
      UNION ALL SELECT '{schema}.dead'::regclass) AS t

-- name: prune_excess_put
INSERT INTO {schema}.meta (name, value) VALUES ('finished_excess', $1::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: prune_excess_read
SELECT value FROM {schema}.meta WHERE name = 'finished_excess'

-- name: prune_history
-- The times name the partitions; without them every one would be looked at.
DELETE FROM {schema}.history WHERE id = ANY($1::bigint[]) AND finished_at >= $2::bigint AND finished_at <= $3::bigint
RETURNING id, (CASE WHEN state = {state.completed} THEN {outcome.completed} ELSE {outcome.cancelled} END)::smallint

-- name: prune_keys
DELETE FROM {schema}.idempotency WHERE job = ANY($1::bigint[])

-- name: prune_open_days
-- A partition of history for today and for the two days after it, so that it is there before its first row. Rows of today that are in the
-- default partition already stay there, and today's own begins with a minute that nobody writes yet. It never waits long for those who
-- write history, and never fails: without the rights everything stays in the default partition.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  minute_ms CONSTANT bigint := 60000;
  now_at CONSTANT bigint := {schema}.now_ms();
  waited CONSTANT text := current_setting('lock_timeout');
  starts bigint;
  ends bigint;
  name text;
BEGIN
  FOR ahead IN 0..2 LOOP
    starts := (now_at / day_ms + ahead) * day_ms;
    ends := starts + day_ms;
    name := 'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
    CONTINUE WHEN to_regclass(format('{schema}.%I', name)) IS NOT NULL;
    IF EXISTS (SELECT 1 FROM {schema}.history_rest WHERE finished_at >= starts AND finished_at < ends) THEN
      starts := greatest(starts, (now_at / minute_ms + 2) * minute_ms);
      CONTINUE WHEN starts >= ends;
    END IF;
    PERFORM set_config('lock_timeout', '200ms', true);
    BEGIN
      EXECUTE format('CREATE TABLE {schema}.%I (LIKE {schema}.history INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE {schema}.history ATTACH PARTITION {schema}.%I FOR VALUES FROM (%s) TO (%s)', name, starts, ends);
    EXCEPTION
      WHEN insufficient_privilege OR lock_not_available OR check_violation OR duplicate_table OR invalid_object_definition THEN NULL;
    END;
    PERFORM set_config('lock_timeout', waited, true);
  END LOOP;
END
$do$

-- name: prune_orphans
-- Leases of workers that are offline. A claim and the worker's end exclude each other by its beat; only while a crash of the database has
-- emptied the beats can a lease slip through. It ends by its own time then, and no beat counts for it.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true
FROM {schema}.workers w
WHERE w.id = r.worker AND w.state = {worker.offline} AND NOT r.lapsed

-- name: prune_pick
SELECT id, finished_at FROM {schema}.history WHERE finished_at >= $1::bigint AND finished_at <= $2::bigint LIMIT $3::bigint

-- name: prune_pick_dead
SELECT id FROM {schema}.dead WHERE finished_at <= $1::bigint ORDER BY finished_at LIMIT $2::bigint

-- name: prune_pick_oldest
-- Finished jobs by their arrival, the dead among them. The fixed number tells the planner that it is about few rows.
SELECT o.id, o.finished_at, o.is_dead
FROM ((SELECT id, finished_at, false AS is_dead FROM {schema}.history ORDER BY id LIMIT {pass.rows})
      UNION ALL
      (SELECT id, finished_at, true FROM {schema}.dead ORDER BY id LIMIT {pass.rows})) AS o
ORDER BY o.id LIMIT $1::bigint

-- name: prune_pick_rest
SELECT id, finished_at FROM {schema}.history_rest WHERE finished_at <= $1::bigint LIMIT $2::bigint

-- name: prune_steps
-- Steps and signals go with their runs.
WITH silent AS (
  DELETE FROM {schema}.signals WHERE job = ANY($1::bigint[])
)
DELETE FROM {schema}.steps WHERE job = ANY($1::bigint[])

-- name: prune_workers
-- Offline for long. A beat that came in after the end goes along.
WITH gone AS (
  DELETE FROM {schema}.workers w
  WHERE w.id = ANY(ARRAY(
    SELECT o.id FROM {schema}.workers o
    WHERE o.state = {worker.offline} AND o.offline_at <= $1::bigint AND NOT EXISTS (SELECT 1 FROM {schema}.running r WHERE r.worker = o.id)
    ORDER BY o.namespace, o.name LIMIT $2::bigint FOR UPDATE SKIP LOCKED))
  RETURNING w.id
), silenced AS (
  DELETE FROM {schema}.beats b USING gone g WHERE b.worker = g.id
)
SELECT id FROM gone
