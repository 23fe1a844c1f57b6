-- Did any job with a key above $2 and not above $3 finish in one of these lanes?
SELECT EXISTS (SELECT 1 FROM {schema}.history WHERE id > $2::bigint AND id <= $3::bigint AND lane = ANY($1::integer[]))
