-- All but the number, the name and created_at. The caller holds the row.
UPDATE {schema}.schedules
SET queue = $3::text, type = $4::text, enabled = $5::boolean, due_at = $6::bigint, updated_at = $8::bigint, next_fire_at = $9::bigint,
    last_fired_at = $10::bigint, caught_up_to = $11::bigint, buffered = $12::bigint, last_job = $13::bigint, fired = $14::bigint,
    skipped = $15::bigint, revision = $16::bigint, spec = $17::text, payload = $18::bytea
WHERE namespace = $1::integer AND name = $2::text AND created_at = $7::bigint
