INSERT INTO {schema}.sticky (queue, key, worker) VALUES ($1::integer, $2::bytea, $3::integer)
ON CONFLICT (queue, key) DO UPDATE SET worker = excluded.worker
