-- The first job of a listing, oldest first, above $1.
SELECT j.id FROM {schema}.jobs j WHERE j.id > $1::bigint AND ($2::integer >> j.source) & 1 = 1 ORDER BY j.id LIMIT 1
