UPDATE {schema}.plans SET text = $2::bytea, description = $3::bytea, tasks = $4::integer, needs = $5::bytea WHERE id = $1::bigint
