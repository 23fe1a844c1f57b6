-- Ended long ago.
DELETE FROM {schema}.actions
WHERE id = ANY(ARRAY(SELECT id FROM {schema}.actions WHERE settled_at <= $1::bigint ORDER BY settled_at LIMIT $2::bigint
                     FOR UPDATE SKIP LOCKED))
