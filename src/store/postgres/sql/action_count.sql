SELECT count(*) FROM {schema}.actions WHERE namespace = $1::integer AND ($2::text IS NULL OR plan = $2::text)
