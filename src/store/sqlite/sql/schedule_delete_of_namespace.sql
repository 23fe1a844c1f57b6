DELETE FROM schedules WHERE namespace = ?1
