-- The time of this transaction, and whether the names a node remembers are still right.
SELECT {schema}.now_ms(), (SELECT value::bigint FROM {schema}.meta WHERE name = 'directory_version')
