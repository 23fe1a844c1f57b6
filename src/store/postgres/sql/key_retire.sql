-- Out of sight, where the sweep of expired keys finds it first: in the space of removed ones, which goes by numbers.
UPDATE {schema}.keys SET space = 2, name = convert_to(id::text, 'UTF8'), expires_at = 0 WHERE id = $1::bigint
