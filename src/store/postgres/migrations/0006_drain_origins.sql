-- Who took a worker out of service. Before this only people set a deadline; a worker that drains itself has none.
ALTER TABLE {schema}.workers ADD COLUMN drain_origin smallint NOT NULL DEFAULT 0 CHECK (drain_origin BETWEEN 0 AND 4);
UPDATE {schema}.workers SET drain_origin = CASE WHEN drain_deadline IS NULL THEN 2 ELSE 1 END WHERE state = 1;
