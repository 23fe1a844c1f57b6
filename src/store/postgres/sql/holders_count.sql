SELECT count(*) FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea
