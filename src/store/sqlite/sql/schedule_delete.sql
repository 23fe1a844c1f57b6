DELETE FROM schedules WHERE namespace = ?1 AND name = ?2
