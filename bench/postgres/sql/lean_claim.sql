-- $1 queue, $2 type, $3 how many, $4 worker. The array keeps the planner from running the locking select more than once.
WITH popped AS (
  DELETE FROM job
  WHERE id = ANY (ARRAY(
    SELECT id FROM job WHERE queue = $1::integer AND type = $2::integer ORDER BY id LIMIT $3::integer FOR UPDATE SKIP LOCKED))
  RETURNING id, payload)
INSERT INTO lease (id, lease_until, worker, payload)
SELECT id, now() + interval '30 s', $4::integer, payload FROM popped
RETURNING id
