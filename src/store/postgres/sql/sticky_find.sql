SELECT worker FROM {schema}.sticky WHERE queue = $1::integer AND key = $2::bytea
