-- Extends the lease of the term this node knows. A term that somebody else ended is not there any more, and nothing changes.
UPDATE {schema}.leader SET expires_at = {schema}.now_ms() + $3::bigint
WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint
RETURNING term
