-- A partition of history for today and for the two days after it, so that it is there before its first row. It never waits long for those
-- who write history, and never fails: without the rights, or with rows of that day in the default partition, these stay there.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  today CONSTANT bigint := {schema}.now_ms() / day_ms;
  waited CONSTANT text := current_setting('lock_timeout');
  starts bigint;
  name text;
BEGIN
  FOR ahead IN 0..2 LOOP
    starts := (today + ahead) * day_ms;
    name := 'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
    CONTINUE WHEN to_regclass(format('{schema}.%I', name)) IS NOT NULL;
    CONTINUE WHEN EXISTS (SELECT 1 FROM {schema}.history_rest WHERE finished_at >= starts AND finished_at < starts + day_ms);
    PERFORM set_config('lock_timeout', '200ms', true);
    BEGIN
      EXECUTE format('CREATE TABLE {schema}.%I (LIKE {schema}.history INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE {schema}.history ATTACH PARTITION {schema}.%I FOR VALUES FROM (%s) TO (%s)', name, starts,
                     starts + day_ms);
    EXCEPTION
      WHEN insufficient_privilege OR lock_not_available OR check_violation OR duplicate_table OR invalid_object_definition THEN NULL;
    END;
    PERFORM set_config('lock_timeout', waited, true);
  END LOOP;
END
$do$
