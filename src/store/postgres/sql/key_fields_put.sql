-- Answers how many are new.
WITH put AS (
  INSERT INTO {schema}.key_fields (key, name, value)
  SELECT $1::bigint, u.name, u.value FROM unnest($2::bytea[], $3::bytea[]) AS u (name, value)
  ON CONFLICT (key, sha256(name)) DO UPDATE SET value = excluded.value
  RETURNING xmax = 0 AS is_new)
SELECT count(*) FROM put WHERE is_new
