SELECT key, finish FROM {schema}.fair WHERE lane = $1::integer AND key IN ($2::bytea, ''::bytea)
