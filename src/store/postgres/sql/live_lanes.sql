SELECT count(*) FROM (SELECT lane FROM {schema}.waiting UNION SELECT lane FROM {schema}.running LIMIT $1::bigint) AS live
