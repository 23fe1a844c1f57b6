-- Finished jobs among these; with what came of them for those in $2.
SELECT id, state, flags, CASE WHEN id = ANY($2::bigint[]) THEN result END, CASE WHEN id = ANY($2::bigint[]) THEN error END
FROM {schema}.dead WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id, state, flags, CASE WHEN id = ANY($2::bigint[]) THEN result END, CASE WHEN id = ANY($2::bigint[]) THEN error END
FROM {schema}.history WHERE id = ANY($1::bigint[])
