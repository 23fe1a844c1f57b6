-- name: key_score
SELECT score FROM key_scores WHERE key = ?1 AND member = ?2

-- name: key_score_delete
DELETE FROM key_scores WHERE key = ?1 AND member = ?2

-- name: key_score_insert
INSERT OR IGNORE INTO key_scores (key, member, score) VALUES (?1, ?2, ?3)

-- name: key_score_update
UPDATE key_scores SET score = ?3 WHERE key = ?1 AND member = ?2

-- name: key_scores_after
SELECT member, score FROM key_scores WHERE key = ?1 AND member > ?2 ORDER BY member LIMIT ?3

-- name: key_scores_between_down
-- ?3 and ?5: the bound itself is out.
SELECT member, score FROM key_scores
WHERE key = ?1 AND (?2 IS NULL OR member > ?2 OR (member = ?2 AND NOT ?3)) AND (?4 IS NULL OR member < ?4 OR (member = ?4 AND NOT ?5))
ORDER BY score DESC, member DESC
LIMIT ?6 OFFSET ?7

-- name: key_scores_between_down_past
-- ?3 and ?5: the bound itself is out.
SELECT member, score FROM key_scores
WHERE key = ?1 AND (score, member) < (?7, ?8)
  AND (?2 IS NULL OR member > ?2 OR (member = ?2 AND NOT ?3)) AND (?4 IS NULL OR member < ?4 OR (member = ?4 AND NOT ?5))
ORDER BY score DESC, member DESC
LIMIT ?6

-- name: key_scores_between_up
-- ?3 and ?5: the bound itself is out.
SELECT member, score FROM key_scores
WHERE key = ?1 AND (?2 IS NULL OR member > ?2 OR (member = ?2 AND NOT ?3)) AND (?4 IS NULL OR member < ?4 OR (member = ?4 AND NOT ?5))
ORDER BY score, member
LIMIT ?6 OFFSET ?7

-- name: key_scores_between_up_past
-- ?3 and ?5: the bound itself is out.
SELECT member, score FROM key_scores
WHERE key = ?1 AND (score, member) > (?7, ?8)
  AND (?2 IS NULL OR member > ?2 OR (member = ?2 AND NOT ?3)) AND (?4 IS NULL OR member < ?4 OR (member = ?4 AND NOT ?5))
ORDER BY score, member
LIMIT ?6

-- name: key_scores_count
SELECT COUNT(*) FROM (SELECT 1 FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3 LIMIT ?4)

-- name: key_scores_delete_all
DELETE FROM key_scores WHERE key = ?1

-- name: key_scores_delete_of_namespace
DELETE FROM key_scores WHERE key IN (SELECT id FROM keys WHERE namespace = ?1)

-- name: key_scores_delete_some
DELETE FROM key_scores WHERE key = ?1 AND member IN (SELECT member FROM key_scores WHERE key = ?1 ORDER BY member LIMIT ?2)

-- name: key_scores_down
SELECT member, score FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3
ORDER BY score DESC, member DESC
LIMIT ?4 OFFSET ?5

-- name: key_scores_down_past
SELECT member, score FROM key_scores WHERE key = ?1 AND (score, member) < (?2, ?3) AND score >= ?4
ORDER BY score DESC, member DESC
LIMIT ?5

-- name: key_scores_rank
SELECT COUNT(*) FROM (SELECT 1 FROM key_scores WHERE key = ?1 AND (score, member) < (?2, ?3) LIMIT ?4)

-- name: key_scores_up
SELECT member, score FROM key_scores WHERE key = ?1 AND score BETWEEN ?2 AND ?3 ORDER BY score, member LIMIT ?4 OFFSET ?5

-- name: key_scores_up_past
SELECT member, score FROM key_scores WHERE key = ?1 AND (score, member) > (?2, ?3) AND score <= ?4 ORDER BY score, member LIMIT ?5
