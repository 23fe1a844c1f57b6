-- A key has room: the first waiter of each lane and limit that fits is called. The claim checks again, so one too many is harmless.
WITH RECURSIVE held AS (
  SELECT count(*) AS n FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea
), first AS (
  (SELECT stand, key_limit, rank, job FROM {schema}.parked WHERE namespace = $1::integer AND key = $2::bytea
   ORDER BY stand, key_limit, rank, job LIMIT 1)
  UNION ALL
  SELECT following.*
  FROM first CROSS JOIN LATERAL (
    SELECT p.stand, p.key_limit, p.rank, p.job FROM {schema}.parked p
    WHERE p.namespace = $1::integer AND p.key = $2::bytea AND (p.stand, p.key_limit) > (first.stand, first.key_limit)
    ORDER BY p.stand, p.key_limit, p.rank, p.job LIMIT 1) AS following
), called AS (
  DELETE FROM {schema}.parked p USING first f, held
  WHERE p.namespace = $1::integer AND p.key = $2::bytea AND p.stand = f.stand AND p.key_limit = f.key_limit AND p.rank = f.rank
    AND p.job = f.job AND f.key_limit > held.n
  RETURNING p.job
)
UPDATE {schema}.waiting w SET place = 1 FROM called WHERE w.id = called.job RETURNING w.id, w.stand
