INSERT INTO {schema}.fair (lane, key, finish) VALUES ($1::integer, $2::bytea, $3::bigint)
ON CONFLICT (lane, key) DO UPDATE SET finish = greatest({schema}.fair.finish, excluded.finish)
