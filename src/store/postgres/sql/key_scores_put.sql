-- Answers how many are new.
WITH put AS (
  INSERT INTO {schema}.key_scores (key, member, score)
  SELECT $1::bigint, u.member, u.score FROM unnest($2::bytea[], $3::double precision[]) AS u (member, score)
  ON CONFLICT (key, sha256(member)) DO UPDATE SET score = excluded.score
  RETURNING xmax = 0 AS is_new)
SELECT count(*) FROM put WHERE is_new
