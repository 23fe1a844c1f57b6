-- Columns of the answer: the number, if the name was free.
INSERT INTO {schema}.schedules (namespace, name, queue, type, enabled, due_at, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to,
                                buffered, last_job, fired, skipped, revision, spec, payload)
VALUES ($1::integer, $2::text, $3::text, $4::text, $5::boolean, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint,
        $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::text, $18::bytea)
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id
