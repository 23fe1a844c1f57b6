UPDATE {schema}.queues SET tokens = $2::double precision, filled_at = $3::bigint WHERE id = $1::integer
