-- It was taken before its time to wait was over; what is left is the deadline.
UPDATE {schema}.running SET expires_at = $2::bigint, flags = flags | 1024 WHERE id = $1::bigint
