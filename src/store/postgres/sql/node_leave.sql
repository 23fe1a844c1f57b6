DELETE FROM {schema}.nodes WHERE name = $1::text
