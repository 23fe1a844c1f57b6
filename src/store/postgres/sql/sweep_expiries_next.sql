SELECT min(expires_at) FROM {schema}.waiting WHERE expires_at IS NOT NULL
