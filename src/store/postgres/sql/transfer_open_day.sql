-- A partition of history for the day that muster.day numbers (prune_day_name.sql), so that it can be dropped whole one day. Without the
-- rights, or with rows of that day in the default partition, these stay there.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  starts CONSTANT bigint := current_setting('muster.day')::bigint * day_ms;
  name CONSTANT text := 'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
BEGIN
  IF to_regclass(format('{schema}.%I', name)) IS NULL THEN
    EXECUTE format('CREATE TABLE {schema}.%I (LIKE {schema}.history INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE {schema}.history ATTACH PARTITION {schema}.%I FOR VALUES FROM (%s) TO (%s)', name, starts, starts + day_ms);
  END IF;
EXCEPTION
  WHEN insufficient_privilege OR check_violation OR duplicate_table OR invalid_object_definition THEN NULL;
END
$do$
