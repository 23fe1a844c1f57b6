SELECT job FROM {schema}.uniques WHERE namespace = $1::integer AND key = $2::bytea FOR UPDATE
