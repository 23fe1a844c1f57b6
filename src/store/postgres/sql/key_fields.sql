-- In byte order behind a name; a NULL name: all of them.
SELECT name, value FROM {schema}.key_fields
WHERE key = $1::bigint AND ($2::bytea IS NULL OR (substring(name FROM 1 FOR 256) >= substring($2::bytea FROM 1 FOR 256) AND name > $2::bytea))
ORDER BY substring(name FROM 1 FOR 256), name LIMIT $3::bigint OFFSET $4::bigint
