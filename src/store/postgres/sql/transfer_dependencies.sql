SELECT job, after FROM {schema}.dependencies WHERE (job, after) > ($1::bigint, $2::bigint) ORDER BY job, after LIMIT $3::bigint
