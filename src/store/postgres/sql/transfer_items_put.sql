INSERT INTO {schema}.key_items (key, position, value) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
