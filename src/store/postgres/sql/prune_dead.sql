DELETE FROM {schema}.dead WHERE id = ANY($1::bigint[]) AND finished_at <= $2::bigint
RETURNING id, (CASE WHEN {schema}.ended_by_engine(error) THEN 4 ELSE 3 END)::smallint
