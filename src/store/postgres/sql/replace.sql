-- Waiting jobs take another place.
UPDATE {schema}.waiting w SET place = u.place, stand = u.stand, rank = u.rank, run_at = u.run_at, event = coalesce(u.event, w.event)
FROM unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bigint[], $5::bigint[], $6::smallint[])
     AS u (id, place, stand, rank, run_at, event)
WHERE w.id = u.id
