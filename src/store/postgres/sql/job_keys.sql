SELECT nextval('{schema}.job_keys') FROM generate_series(1, $1::integer)
