INSERT INTO {schema}.key_items (key, position, value) VALUES ($1::bigint, $2::bigint, $3::bytea)
ON CONFLICT (key, position) DO UPDATE SET value = excluded.value
