SELECT w.name FROM {schema}.sticky s JOIN {schema}.workers w ON w.id = s.worker WHERE s.queue = $1::integer AND s.key = $2::bytea
