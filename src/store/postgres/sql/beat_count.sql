-- Adds what a node counted. It never waits: rows that somebody holds come back, to be counted the next time.
WITH free AS MATERIALIZED (
  SELECT worker FROM {schema}.beats WHERE worker = ANY($1::integer[]) FOR UPDATE SKIP LOCKED
), counted AS (
  UPDATE {schema}.beats b SET completed = b.completed + u.completed, failed = b.failed + u.failed
  FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (worker, completed, failed) JOIN free f ON f.worker = u.worker
  WHERE b.worker = u.worker
  RETURNING b.worker
)
SELECT b.worker FROM {schema}.beats b
WHERE b.worker = ANY($1::integer[]) AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.worker = b.worker)
