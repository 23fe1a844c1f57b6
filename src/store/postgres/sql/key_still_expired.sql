-- Looked at again under their locks: one that was given more time meanwhile stays.
SELECT id, type, count, space FROM {schema}.keys WHERE id = ANY($1::bigint[]) AND expires_at <= $2::bigint
ORDER BY expires_at FOR UPDATE SKIP LOCKED
