DELETE FROM {schema}.plans WHERE id = $1::bigint
