SELECT min(expires_at) FROM {schema}.keys WHERE expires_at IS NOT NULL
