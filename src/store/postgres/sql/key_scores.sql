-- part: key_scores_down
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores

-- part: key_scores_up
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY score, substring(member FROM 1 FOR 256), member ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores

-- name: key_members_down
-- A piece ends with the member that passes $8 bytes.
{part.key_scores_down}
  WHERE key = $1::bigint AND ($2::bytea IS NULL OR member > $2::bytea OR (member = $2::bytea AND NOT $3::boolean))
    AND ($4::bytea IS NULL OR member < $4::bytea OR (member = $4::bytea AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint OFFSET $7::bigint) AS piece
WHERE bytes_before < $8::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC

-- name: key_members_down_past
-- A piece ends with the member that passes $9 bytes.
{part.key_scores_down}
  WHERE key = $1::bigint
    AND (score, substring(member FROM 1 FOR 256)) <= ($7::double precision, substring($8::bytea FROM 1 FOR 256))
    AND (score, member) < ($7::double precision, $8::bytea) AND ($2::bytea IS NULL OR member > $2::bytea OR (member = $2::bytea AND NOT $3::boolean))
    AND ($4::bytea IS NULL OR member < $4::bytea OR (member = $4::bytea AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint) AS piece
WHERE bytes_before < $9::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC

-- name: key_members_up
-- A piece ends with the member that passes $8 bytes.
{part.key_scores_up}
  WHERE key = $1::bigint AND ($2::bytea IS NULL OR member > $2::bytea OR (member = $2::bytea AND NOT $3::boolean))
    AND ($4::bytea IS NULL OR member < $4::bytea OR (member = $4::bytea AND NOT $5::boolean))
  ORDER BY score, substring(member FROM 1 FOR 256), member LIMIT $6::bigint OFFSET $7::bigint) AS piece
WHERE bytes_before < $8::bigint
ORDER BY score, substring(member FROM 1 FOR 256), member

-- name: key_members_up_past
-- A piece ends with the member that passes $9 bytes.
{part.key_scores_up}
  WHERE key = $1::bigint
    AND (score, substring(member FROM 1 FOR 256)) >= ($7::double precision, substring($8::bytea FROM 1 FOR 256))
    AND (score, member) > ($7::double precision, $8::bytea) AND ($2::bytea IS NULL OR member > $2::bytea OR (member = $2::bytea AND NOT $3::boolean))
    AND ($4::bytea IS NULL OR member < $4::bytea OR (member = $4::bytea AND NOT $5::boolean))
  ORDER BY score, substring(member FROM 1 FOR 256), member LIMIT $6::bigint) AS piece
WHERE bytes_before < $9::bigint
ORDER BY score, substring(member FROM 1 FOR 256), member

-- name: key_rank
-- Members before this one.
SELECT count(*) FROM (
  SELECT FROM {schema}.key_scores
  WHERE key = $1::bigint AND (score < $3::double precision OR (score = $3::double precision AND member < $2::bytea))
  LIMIT $4::bigint) AS counted

-- name: key_score
SELECT score FROM {schema}.key_scores WHERE key = $1::bigint AND sha256(member) = sha256($2::bytea)

-- name: key_score_put
-- Answers whether it is new.
INSERT INTO {schema}.key_scores (key, member, score) VALUES ($1::bigint, $2::bytea, $3::double precision)
ON CONFLICT (key, sha256(member)) DO UPDATE SET score = excluded.score
RETURNING xmax = 0

-- name: key_score_remove
DELETE FROM {schema}.key_scores WHERE key = $1::bigint AND sha256(member) = sha256($2::bytea)

-- name: key_scores_after
-- By member, behind one. A piece ends with the member that passes $4 bytes.
SELECT member, score FROM (
  SELECT member, score, sum(octet_length(member)) OVER (ORDER BY member ROWS UNBOUNDED PRECEDING) - octet_length(member) AS bytes_before
  FROM {schema}.key_scores WHERE key = $1::bigint AND member > $2::bytea ORDER BY member LIMIT $3::bigint) AS piece
WHERE bytes_before < $4::bigint
ORDER BY member

-- name: key_scores_count
SELECT count(*) FROM (
  SELECT FROM {schema}.key_scores
  WHERE key = $1::bigint AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  LIMIT $6::bigint) AS counted

-- name: key_scores_down
-- A piece ends with the member that passes $8 bytes.
{part.key_scores_down}
  WHERE key = $1::bigint AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint OFFSET $7::bigint) AS piece
WHERE bytes_before < $8::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC

-- name: key_scores_down_past
-- A piece ends with the member that passes $9 bytes.
{part.key_scores_down}
  WHERE key = $1::bigint
    AND (score, substring(member FROM 1 FOR 256)) <= ($7::double precision, substring($8::bytea FROM 1 FOR 256))
    AND (score, member) < ($7::double precision, $8::bytea) AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC LIMIT $6::bigint) AS piece
WHERE bytes_before < $9::bigint
ORDER BY score DESC, substring(member FROM 1 FOR 256) DESC, member DESC

-- name: key_scores_of
-- The scores of these members, in their order; NULL: there is no such member.
SELECT s.score FROM unnest($2::bytea[]) WITH ORDINALITY AS u (member, place)
LEFT JOIN {schema}.key_scores s ON s.key = $1::bigint AND sha256(s.member) = sha256(u.member)
ORDER BY u.place

-- name: key_scores_put
-- Answers how many are new.
WITH put AS (
  INSERT INTO {schema}.key_scores (key, member, score)
  SELECT $1::bigint, u.member, u.score FROM unnest($2::bytea[], $3::double precision[]) AS u (member, score)
  ON CONFLICT (key, sha256(member)) DO UPDATE SET score = excluded.score
  RETURNING xmax = 0 AS is_new)
SELECT count(*) FROM put WHERE is_new

-- name: key_scores_remove
DELETE FROM {schema}.key_scores s USING unnest($2::bytea[]) AS u (member) WHERE s.key = $1::bigint AND sha256(s.member) = sha256(u.member)

-- name: key_scores_remove_some
DELETE FROM {schema}.key_scores WHERE ctid = ANY(ARRAY(SELECT ctid FROM {schema}.key_scores WHERE key = $1::bigint LIMIT $2::bigint))

-- name: key_scores_up
-- A piece ends with the member that passes $8 bytes.
{part.key_scores_up}
  WHERE key = $1::bigint AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  ORDER BY score, substring(member FROM 1 FOR 256), member LIMIT $6::bigint OFFSET $7::bigint) AS piece
WHERE bytes_before < $8::bigint
ORDER BY score, substring(member FROM 1 FOR 256), member

-- name: key_scores_up_past
-- A piece ends with the member that passes $9 bytes.
{part.key_scores_up}
  WHERE key = $1::bigint
    AND (score, substring(member FROM 1 FOR 256)) >= ($7::double precision, substring($8::bytea FROM 1 FOR 256))
    AND (score, member) > ($7::double precision, $8::bytea) AND ($2::double precision IS NULL OR score > $2::double precision OR (score = $2::double precision AND NOT $3::boolean))
    AND ($4::double precision IS NULL OR score < $4::double precision OR (score = $4::double precision AND NOT $5::boolean))
  ORDER BY score, substring(member FROM 1 FOR 256), member LIMIT $6::bigint) AS piece
WHERE bytes_before < $9::bigint
ORDER BY score, substring(member FROM 1 FOR 256), member
