DELETE FROM idempotency WHERE namespace = ?1 AND key = ?2 AND job = ?3
