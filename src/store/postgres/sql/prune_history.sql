-- The times name the partitions; without them every one would be looked at.
DELETE FROM {schema}.history WHERE id = ANY($1::bigint[]) AND finished_at >= $2::bigint AND finished_at <= $3::bigint
RETURNING id, (CASE WHEN state = 3 THEN 2 ELSE 5 END)::smallint
