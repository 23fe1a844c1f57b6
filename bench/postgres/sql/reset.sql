-- Everything earlier rows left in this database, so that no autovacuum of theirs runs through the next one.
DO $do$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', name);
  END LOOP;
END
$do$
