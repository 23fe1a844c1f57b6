SELECT id, lane, state, flags, created_at, finished_at, fence, attempt, spec FROM jobs WHERE id >= ?1 ORDER BY id LIMIT ?2
