-- As key_retire, for all of a space.
UPDATE keys SET space = 2, name = CAST(CAST(id AS TEXT) AS BLOB), expires_at = 0 WHERE namespace = ?1 AND space = ?2
