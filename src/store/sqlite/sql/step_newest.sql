-- The columns of every statement that reads steps, in the order of read_step().
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND name = ?2 ORDER BY place DESC LIMIT 1
