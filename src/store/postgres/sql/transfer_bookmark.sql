SELECT value FROM {schema}.meta WHERE name = $1::text
