DELETE FROM {schema}.signals s USING unnest($1::bigint[], $2::bigint[]) AS u (job, place) WHERE s.job = u.job AND s.place = u.place
