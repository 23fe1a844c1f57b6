UPDATE {schema}.meta SET value = $2::text WHERE name = $1::text
