DELETE FROM queues WHERE namespace = ?1
