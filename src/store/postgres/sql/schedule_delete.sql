DELETE FROM {schema}.schedules WHERE id = $1::bigint
