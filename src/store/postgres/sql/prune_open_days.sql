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
