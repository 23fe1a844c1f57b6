SELECT COUNT(*) FROM jobs WHERE id >= ?1 AND state >= 3
