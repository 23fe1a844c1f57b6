-- The turns of these jobs are over.
UPDATE {schema}.wishes SET fair_lane = NULL WHERE job = ANY($1::bigint[])
