SELECT state, event, fence, attempt, run_at, lane FROM jobs WHERE id = ?1
