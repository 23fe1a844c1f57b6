DELETE FROM {schema}.leader WHERE name = 'sweeps' AND node = $1::text AND term = $2::bigint
