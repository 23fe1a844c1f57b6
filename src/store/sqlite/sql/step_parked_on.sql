-- What a parked run waits for: steps that wait, and those that failed and are tried again at ?2.
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND (state = 1 OR (state = 3 AND until = ?2)) ORDER BY place LIMIT ?3
