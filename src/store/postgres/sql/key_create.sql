INSERT INTO {schema}.keys (namespace, space, name, type, expires_at) VALUES ($1::integer, $2::smallint, $3::bytea, $4::smallint, $5::bigint)
RETURNING id
