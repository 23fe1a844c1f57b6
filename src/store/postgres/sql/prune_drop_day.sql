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
                    FROM (SELECT b.id, count(*) FILTER (WHERE h.state = 3) AS completed, count(*) FILTER (WHERE h.state <> 3) AS cancelled
                          FROM {schema}.actions b CROSS JOIN LATERAL unnest(b.job_keys) AS k (id) JOIN {schema}.%I h ON h.id = k.id
                          WHERE b.settled_at IS NULL GROUP BY b.id) AS o
                    WHERE a.id = o.id AND a.settled_at IS NULL', current_setting('muster.day'));
    EXECUTE format('DELETE FROM {schema}.steps s USING {schema}.%I h WHERE s.job = h.id AND h.state <> 3', current_setting('muster.day'));
    EXECUTE format('DELETE FROM {schema}.signals s USING {schema}.%I h WHERE s.job = h.id', current_setting('muster.day'));
    EXECUTE format('DROP TABLE {schema}.%I', current_setting('muster.day'));
  EXCEPTION
    WHEN insufficient_privilege OR lock_not_available OR undefined_table THEN NULL;
  END;
  PERFORM set_config('lock_timeout', waited, true);
END
$do$
