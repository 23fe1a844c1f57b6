-- As key_retire, for the first keys of a space.
UPDATE keys SET space = 2, name = CAST(CAST(id AS TEXT) AS BLOB), expires_at = 0
WHERE id IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 ORDER BY name LIMIT ?3)
