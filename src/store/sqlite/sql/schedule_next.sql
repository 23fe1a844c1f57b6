SELECT MIN(due_at) FROM schedules WHERE due_at > ?1
