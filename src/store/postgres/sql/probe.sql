INSERT INTO {schema}.meta (name, value) VALUES ('probe', {schema}.now_ms()::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value
