-- What is NULL stays.
UPDATE {schema}.namespaces
SET display_name = coalesce($2::bytea, display_name), description = coalesce($3::bytea, description),
    enabled = coalesce($4::boolean, enabled), updated_at = $5::bigint
WHERE id = $1::integer
