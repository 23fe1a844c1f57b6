SELECT id, lane FROM jobs WHERE id >= ?1 ORDER BY id LIMIT ?2
