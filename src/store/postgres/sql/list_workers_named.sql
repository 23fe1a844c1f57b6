-- Who went by this name, in one namespace or, with 0, in any.
SELECT id FROM {schema}.workers WHERE name = $1::text AND ($2::integer = 0 OR namespace = $2::integer)
