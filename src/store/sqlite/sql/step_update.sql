-- What changes after an attempt began.
UPDATE steps SET kind = ?3, state = ?4, encodings = ?5, finished_at = ?6, until = ?7, child = ?8, signal = ?9, error = ?10, output = ?11
WHERE job = ?1 AND place = ?2
