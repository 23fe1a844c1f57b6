-- Keys by their names, and the value of a short text.
SELECT k.name, k.id, k.type, k.expires_at, k.count, k.head, k.tail,
       CASE WHEN k.type = 0 AND octet_length(k.value) <= $4::integer THEN k.value END
FROM unnest($3::bytea[]) AS u (name)
JOIN {schema}.keys k
  ON k.namespace = $1::integer AND k.space = $2::smallint AND sha256(k.name) = sha256(u.name) AND k.name = u.name
