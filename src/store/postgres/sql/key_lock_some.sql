-- Stripes that nobody holds; they are ours until the commit.
SELECT s.stripe FROM unnest($1::integer[]) AS s (stripe)
WHERE pg_try_advisory_xact_lock(hashtext('{schema} keys'), s.stripe)
