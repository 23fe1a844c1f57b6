-- Grows with every write of a key: WATCH compares it.
ALTER TABLE {schema}.keys ADD COLUMN version bigint NOT NULL DEFAULT 0;
