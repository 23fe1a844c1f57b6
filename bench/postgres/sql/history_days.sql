-- A partition of history for each of the last two weeks' days and for today, as the store makes them when they begin.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  starts bigint;
  name text;
BEGIN
  FOR ago IN 0..14 LOOP
    starts := ({schema}.now_ms() / day_ms - ago) * day_ms;
    name := 'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
    CONTINUE WHEN to_regclass(format('{schema}.%I', name)) IS NOT NULL;
    EXECUTE format('CREATE TABLE {schema}.%I PARTITION OF {schema}.history FOR VALUES FROM (%s) TO (%s)', name, starts, starts + day_ms);
  END LOOP;
END
$do$
