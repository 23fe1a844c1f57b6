-- In byte order. The index holds the beginnings of the names. A piece ends with the name that passes $5 bytes.
SELECT name, id, type, expires_at, count, head, tail FROM (
  SELECT name, id, type, expires_at, count, head, tail,
    sum(octet_length(name)) OVER (ORDER BY substring(name FROM 1 FOR 256), name ROWS UNBOUNDED PRECEDING) - octet_length(name) AS bytes_before
  FROM {schema}.keys
  WHERE namespace = $1::integer AND space = $2::smallint AND substring(name FROM 1 FOR 256) >= substring($3::bytea FROM 1 FOR 256)
    AND name > $3::bytea
  ORDER BY substring(name FROM 1 FOR 256), name LIMIT $4::bigint) AS piece
WHERE bytes_before < $5::bigint
ORDER BY substring(name FROM 1 FOR 256), name
