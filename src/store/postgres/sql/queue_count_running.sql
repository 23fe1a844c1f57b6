-- What runs already counts under the new cap.
UPDATE {schema}.running SET counted = true
WHERE NOT counted AND lane IN (SELECT id FROM {schema}.lanes WHERE queue = $1::integer)
