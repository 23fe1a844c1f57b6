SELECT COUNT(*)
FROM schedules
WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR queue = ?2) AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR enabled = ?4)
