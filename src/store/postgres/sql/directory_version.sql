-- Grows with every change of namespaces, queues or lanes; a node that knows an older one reads them anew.
SELECT value::bigint FROM {schema}.meta WHERE name = 'directory_version'
