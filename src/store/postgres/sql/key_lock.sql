-- Everybody who writes one of these keys waits for the commit, in one order. Keys share a bounded number of stripes, or a long batch would fill
-- the server's table of locks. The first number sets our locks apart from others'.
SELECT pg_advisory_xact_lock(hashtext('{schema} keys'), s.stripe)
FROM (SELECT unnest($1::integer[]) AS stripe ORDER BY 1) AS s
