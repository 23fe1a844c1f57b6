-- The first few of each lane, locked. Those that are not taken are free again at the commit.
SELECT c.id, c.rank, c.lane, c.stand, c.size
FROM unnest($1::integer[]) AS l (id) CROSS JOIN LATERAL (
  SELECT w.id, w.rank, w.lane, w.stand, octet_length(w.payload) AS size FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = 1
  ORDER BY w.rank, w.id LIMIT $2::integer FOR UPDATE SKIP LOCKED) AS c
ORDER BY c.rank, c.id
