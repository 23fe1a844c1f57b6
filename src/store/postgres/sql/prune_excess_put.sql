INSERT INTO {schema}.meta (name, value) VALUES ('finished_excess', $1::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value
