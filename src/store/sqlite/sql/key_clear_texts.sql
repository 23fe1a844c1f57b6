-- The texts among the first keys of a space.
DELETE FROM keys
WHERE id IN (SELECT id FROM keys WHERE namespace = ?1 AND space = ?2 ORDER BY name LIMIT ?3) AND type = 0
