-- $1 ids.
DELETE FROM lease WHERE id = ANY ($1::bigint[])
