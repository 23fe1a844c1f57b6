-- What of an attempt changes after it began.
UPDATE {schema}.steps s
SET kind = u.kind, state = u.state, flags = u.flags, finished_at = u.finished_at, until = u.until, child = u.child, signal = u.signal,
    error = u.error, output = u.output
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bytea[], $10::text[], $11::bytea[])
     AS u (job, place, kind, state, flags, finished_at, until, child, signal, error, output)
WHERE s.job = u.job AND s.place = u.place
