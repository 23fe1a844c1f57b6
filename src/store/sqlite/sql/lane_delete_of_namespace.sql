DELETE FROM lanes WHERE queue IN (SELECT id FROM queues WHERE namespace = ?1)
