-- A key's finish is the latest of its waiting jobs'; a lane's time (the empty key) is the earliest start of them.
INSERT INTO {schema}.fair AS f (lane, key, finish) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[])
ON CONFLICT (lane, key) DO UPDATE
SET finish = CASE WHEN f.key = ''::bytea THEN least(f.finish, excluded.finish) ELSE greatest(f.finish, excluded.finish) END
