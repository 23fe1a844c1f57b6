UPDATE {schema}.plans SET last_used_at = $3::bigint, actions = actions + 1, jobs = jobs + $4::bigint
WHERE namespace = $1::integer AND name = $2::text
RETURNING id
