-- The store's own table. $1 queue, $2 type: together the lane; $3 payloads.
INSERT INTO waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special, payload)
SELECT nextval('job_keys'), at * 1000, at, at, $1::integer + 8 * $2::integer, $1::integer + 8 * $2::integer,
       0, 0, 1, 0, 0, 0, false, payload
FROM unnest($3::bytea[]) payload, (SELECT now_ms() AS at OFFSET 0) clock
