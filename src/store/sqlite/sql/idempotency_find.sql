SELECT job FROM idempotency WHERE namespace = ?1 AND key = ?2
