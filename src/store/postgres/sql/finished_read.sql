SELECT lane, state, priority, spec, fence FROM {schema}.dead WHERE id = $1::bigint
UNION ALL
SELECT lane, state, priority, spec, fence FROM {schema}.history WHERE id = $1::bigint
