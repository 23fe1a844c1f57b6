INSERT INTO {schema}.keys (id, namespace, space, name, type, expires_at, count, head, tail, value) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::bytea[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
                     $9::bigint[], $10::bytea[])
