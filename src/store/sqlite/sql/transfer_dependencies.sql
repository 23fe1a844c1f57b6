SELECT job, after FROM dependencies WHERE (job, after) > (?1, ?2) ORDER BY job, after LIMIT ?3
