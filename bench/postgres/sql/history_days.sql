-- A partition of history for each of the last two weeks' days and for today, as the store would have made them when they began.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  starts bigint;
BEGIN
  FOR ago IN 0..14 LOOP
    starts := ({schema}.now_ms() / day_ms - ago) * day_ms;
    EXECUTE format('CREATE TABLE {schema}.%I PARTITION OF {schema}.history FOR VALUES FROM (%s) TO (%s)',
                   'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD'), starts, starts + day_ms);
  END LOOP;
END
$do$
