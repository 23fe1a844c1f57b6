DELETE FROM {schema}.parked p
USING unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[])
      AS u (namespace, key, stand, key_limit, rank, job)
WHERE p.namespace = u.namespace AND p.key = u.key AND p.stand = u.stand AND p.key_limit = u.key_limit AND p.rank = u.rank
  AND p.job = u.job
