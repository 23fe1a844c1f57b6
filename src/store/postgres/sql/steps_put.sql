INSERT INTO {schema}.steps (job, place, attempt, kind, state, flags, begun_at, finished_at, until, fence, child, worker, name, signal, policy,
                            error, input, output)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::smallint[], $5::smallint[], $6::smallint[], $7::bigint[], $8::bigint[],
                     $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bytea[], $14::bytea[], $15::text[], $16::text[],
                     $17::bytea[], $18::bytea[])
