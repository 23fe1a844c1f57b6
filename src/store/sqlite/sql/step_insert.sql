INSERT INTO steps (job, place, name, kind, state, attempt, encodings, begun_at, finished_at, until, worker, fence, child, signal, policy, error, input, output)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
