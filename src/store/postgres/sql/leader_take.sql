-- Takes the leadership when it is free, expired, or this node's own from before a restart. The question comes first because a term is
-- spent by asking for it; the conflict asks it again for the case that somebody was quicker.
WITH free AS (
  SELECT nextval('{schema}.terms') AS term
  WHERE NOT EXISTS (
    SELECT FROM {schema}.leader WHERE name = 'sweeps' AND node <> $1::text AND expires_at > {schema}.now_ms())
)
INSERT INTO {schema}.leader AS held (name, node, term, elected_at, expires_at)
SELECT 'sweeps', $1::text, term, {schema}.now_ms(), {schema}.now_ms() + $2::bigint FROM free
ON CONFLICT (name) DO UPDATE
SET node = excluded.node, term = excluded.term, elected_at = excluded.elected_at, expires_at = excluded.expires_at
WHERE held.expires_at <= {schema}.now_ms() OR held.node = excluded.node
RETURNING term
