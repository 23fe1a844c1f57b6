UPDATE {schema}.meta SET value = (value::bigint + 1)::text WHERE name = 'directory_version'
