DELETE FROM {schema}.schedules WHERE namespace = $1::integer
