UPDATE {schema}.wishes SET pending = $2::integer WHERE job = $1::bigint
