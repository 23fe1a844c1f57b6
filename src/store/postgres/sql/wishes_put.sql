INSERT INTO {schema}.wishes (job, namespace, concurrency_key, concurrency_limit, sticky_key, prefer, prefer_until, fair_lane, fair_start,
                             unique_key, unique_waiting, not_before, pending, run_on_failure)
VALUES ($1::bigint, $2::integer, $3::bytea, $4::integer, $5::bytea, $6::text, $7::bigint, nullif($8::integer, 0), $9::bigint, $10::bytea,
        $11::boolean, $12::bigint, $13::integer, $14::boolean)
