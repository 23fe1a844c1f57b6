-- Held while their jobs are counted, so that none of these starts over unseen. Who is held by somebody else is for a later pass.
SELECT id FROM {schema}.actions WHERE id = ANY($1::bigint[]) AND settled_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED
