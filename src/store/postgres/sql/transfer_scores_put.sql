INSERT INTO {schema}.key_scores (key, member, score) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::double precision[])
