-- In byte order. The index holds the beginnings of the names.
SELECT name, id, type, expires_at, count, head, tail FROM {schema}.keys
WHERE namespace = $1::integer AND space = $2::smallint AND substring(name FROM 1 FOR 256) >= substring($3::bytea FROM 1 FOR 256)
  AND name > $3::bytea
ORDER BY substring(name FROM 1 FOR 256), name LIMIT $4::bigint
