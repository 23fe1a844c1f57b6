INSERT INTO {schema}.sticky (queue, key, worker) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::integer[])
