SELECT pg_advisory_xact_lock(hashtext('{schema} all keys'), $1::integer)
