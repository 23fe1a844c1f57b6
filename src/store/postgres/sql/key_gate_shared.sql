-- Whoever writes some keys of this namespace, beside others who do; not beside one who takes them all.
SELECT pg_advisory_xact_lock_shared(hashtext('{schema} all keys'), $1::integer)
