SELECT node, term, expires_at FROM {schema}.leader WHERE name = 'sweeps' AND expires_at > $1::bigint
