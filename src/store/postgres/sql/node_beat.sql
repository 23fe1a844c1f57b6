INSERT INTO {schema}.nodes (name, started_at, seen_at, address, version, listening, pending, notify_lag_ms)
VALUES ($1::text, $2::bigint, {schema}.now_ms(), $3::text, $4::text, $5::boolean, $6::integer, $7::bigint)
ON CONFLICT (name) DO UPDATE
SET started_at = excluded.started_at, seen_at = excluded.seen_at, address = excluded.address, version = excluded.version,
    listening = excluded.listening, pending = excluded.pending, notify_lag_ms = excluded.notify_lag_ms
