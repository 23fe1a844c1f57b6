-- Out of sight, where the sweep of expired keys finds it first: in the space of removed ones, which goes by numbers.
UPDATE keys SET space = 2, name = CAST(CAST(id AS TEXT) AS BLOB), expires_at = 0 WHERE id = ?1
