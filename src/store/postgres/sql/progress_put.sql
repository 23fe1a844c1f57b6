-- A report without a partial result keeps the one before.
UPDATE {schema}.running r SET progress = u.progress, partial = coalesce(u.partial, r.partial)
FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS u (id, progress, partial)
WHERE r.id = u.id
