-- In byte order behind a name. A piece ends with the field that passes $4 bytes.
SELECT name, value FROM (
  SELECT name, value, sum(octet_length(name) + octet_length(value)) OVER (ORDER BY substring(name FROM 1 FOR 256), name ROWS UNBOUNDED PRECEDING)
    - octet_length(name) - octet_length(value) AS bytes_before
  FROM {schema}.key_fields
  WHERE key = $1::bigint AND substring(name FROM 1 FOR 256) >= substring($2::bytea FROM 1 FOR 256) AND name > $2::bytea
  ORDER BY substring(name FROM 1 FOR 256), name LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY substring(name FROM 1 FOR 256), name
