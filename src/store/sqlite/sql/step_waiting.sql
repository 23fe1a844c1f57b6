SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND state = 1 ORDER BY place
