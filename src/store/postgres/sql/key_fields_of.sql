-- The values of these names, in their order; NULL: there is no such field.
SELECT f.value FROM unnest($2::bytea[]) WITH ORDINALITY AS u (name, place)
LEFT JOIN {schema}.key_fields f ON f.key = $1::bigint AND sha256(f.name) = sha256(u.name)
ORDER BY u.place
