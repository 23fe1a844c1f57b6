-- Two claims of one worker, on whatever nodes, come one after the other: its free slots are counted in between.
SELECT worker FROM {schema}.beats WHERE worker = ANY($1::integer[]) ORDER BY worker FOR NO KEY UPDATE
