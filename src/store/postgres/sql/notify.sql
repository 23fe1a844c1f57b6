SELECT pg_notify($1::text, $2::text)
