-- Nobody waits for a turn any more: the virtual time starts over, or a silent key would be owed all of it.
DELETE FROM {schema}.fair f WHERE f.lane = ANY($1::integer[])
  AND NOT EXISTS (SELECT 1 FROM {schema}.wishes w WHERE w.fair_lane = f.lane)
