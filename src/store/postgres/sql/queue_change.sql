-- $4: the rate is another one, and its bucket starts full.
UPDATE {schema}.queues
SET settings = $2::bytea, gated = $3::boolean, tokens = CASE WHEN $4::boolean THEN NULL ELSE tokens END,
    filled_at = CASE WHEN $4::boolean THEN NULL ELSE filled_at END
WHERE id = $1::integer
