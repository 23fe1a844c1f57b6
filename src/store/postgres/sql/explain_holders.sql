SELECT job, count(*) OVER () FROM {schema}.holders WHERE namespace = $1::integer AND key = $2::bytea ORDER BY job LIMIT $3::bigint
