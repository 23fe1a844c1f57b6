-- Looked at again under their locks: one that was given more time meanwhile stays.
SELECT id FROM {schema}.keys WHERE id = ANY($1::bigint[]) AND expires_at <= $2::bigint FOR UPDATE SKIP LOCKED
