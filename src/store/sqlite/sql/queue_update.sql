UPDATE queues SET settings = ?2 WHERE id = ?1
