-- Answers whether it is new.
INSERT INTO {schema}.key_scores (key, member, score) VALUES ($1::bigint, $2::bytea, $3::double precision)
ON CONFLICT (key, sha256(member)) DO UPDATE SET score = excluded.score
RETURNING xmax = 0
