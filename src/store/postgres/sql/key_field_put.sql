-- Answers whether it is new.
INSERT INTO {schema}.key_fields (key, name, value) VALUES ($1::bigint, $2::bytea, $3::bytea)
ON CONFLICT (key, sha256(name)) DO UPDATE SET value = excluded.value
RETURNING xmax = 0
