-- The attempts of a run behind place ?2, oldest first; ?3: only those of this name.
SELECT job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output
FROM steps WHERE job = ?1 AND place > ?2 AND (?3 IS NULL OR name = ?3) ORDER BY place LIMIT ?4
