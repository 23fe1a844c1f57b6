-- Held until the commit: while a pass of this term works, nobody takes the leadership over.
SELECT 1 FROM {schema}.leader
WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint AND expires_at > {schema}.now_ms() FOR SHARE
