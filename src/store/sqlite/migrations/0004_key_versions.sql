-- Grows with every write of a key: WATCH compares it.
ALTER TABLE keys ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
