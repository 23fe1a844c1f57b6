-- Draining workers whose deadline has come, in the order of lists.
SELECT id FROM {schema}.workers WHERE state = 1 AND drain_deadline <= {schema}.now_ms() ORDER BY namespace, name LIMIT $1::bigint
