-- The store's own tables. $1 queue, $2 type: together the lane; $3 how many, $4 worker.
WITH popped AS (
  DELETE FROM waiting
  WHERE id = ANY (ARRAY(
    SELECT id FROM waiting
    WHERE place = 1 AND stand = $1::integer + 8 * $2::integer
    ORDER BY rank, id LIMIT $3::integer FOR UPDATE SKIP LOCKED))
  RETURNING *)
INSERT INTO running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues, flags,
                     priority, special, own_ttl, payload)
SELECT id, rank, created_at, run_at, nextval('fences'), at, at + 30000, 30000, lane, $4::integer, attempt + 1, rescues, flags,
       priority, special, false, payload
FROM popped, (SELECT now_ms() AS at OFFSET 0) clock
RETURNING id, fence, payload
