-- A piece ends with the element that passes $4 bytes.
SELECT position, value FROM (
  SELECT position, value, sum(octet_length(value)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
  FROM {schema}.key_items WHERE key = $1::bigint
  ORDER BY position LIMIT $2::bigint OFFSET $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY position
