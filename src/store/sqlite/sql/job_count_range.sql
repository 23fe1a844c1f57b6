SELECT COUNT(*) FROM jobs WHERE id >= ?1 AND id < ?2
