-- New keys get numbers above those that came with the copy.
SELECT setval(pg_get_serial_sequence('{schema}.keys', 'id'), coalesce((SELECT max(id) FROM {schema}.keys), 0) + 1, false)
