-- What each node runs with, for those that compare nodes: told when it joins, and again when its configuration was read anew. Not logged and
-- gone with the node's row, whoever deletes that. Nodes of the version before write their rows without these columns and tell nothing.
ALTER TABLE {schema}.nodes ADD COLUMN settings_mark text NOT NULL DEFAULT '', ADD COLUMN sealed_by text NOT NULL DEFAULT '';

CREATE UNLOGGED TABLE {schema}.node_settings (
  node text NOT NULL REFERENCES {schema}.nodes ON DELETE CASCADE,
  place integer NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  seal text NOT NULL,
  own boolean NOT NULL,
  PRIMARY KEY (node, place)
);
