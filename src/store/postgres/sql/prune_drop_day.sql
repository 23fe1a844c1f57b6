-- A whole day goes. Whoever writes history waits until the commit, so this waits for them only shortly and is done last; without the
-- rights, or when it would have to wait longer, the day stays (prune_day_gone.sql).
DO $do$
DECLARE
  waited CONSTANT text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', '200ms', true);
  BEGIN
    EXECUTE format('DROP TABLE {schema}.%I', current_setting('muster.day'));
  EXCEPTION
    WHEN insufficient_privilege OR lock_not_available OR undefined_table THEN NULL;
  END;
  PERFORM set_config('lock_timeout', waited, true);
END
$do$
