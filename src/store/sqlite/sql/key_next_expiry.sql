SELECT MIN(expires_at) FROM keys WHERE expires_at IS NOT NULL
