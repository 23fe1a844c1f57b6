SELECT after FROM {schema}.dependencies WHERE job = $1::bigint
